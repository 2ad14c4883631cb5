// Training batches: rows of the window under random symmetries, encoded into one flat buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/architecture.h"
#include "nn/encoding.h"
#include "training/replay_window.h"

namespace baghzero {

// Added to the logits of illegal actions: their probability becomes 0 without an infinity that
// would turn into NaN where it meets a zero.
inline constexpr float kIllegalLogit = -1e9F;

// A batch of `rows` rows lies in one buffer of batch_floats(rows) floats, section after section,
// each [rows, width] in row-major order. Numbers of classes and actions are stored as floats.
enum class BatchSection : std::uint8_t {
  Planes,      // kInputSize, as encode() writes them
  LegalBias,   // kActionCount: 0 on legal actions, kIllegalLogit elsewhere
  Policy,      // kActionCount: sums to 1, or all 0 without a full search
  Value,       // 3: win, draw, loss
  Captures,    // 1: class 0..kCapturesClasses-1
  Occupancy,   // kPointCount: class 0..kOccupancyClasses-1
  PliesLeft,   // 1: log1p of the plies until the end
  Reply,       // 1: action of the opponent; 0 where HasReply is 0
  HasReply,    // 1: 0 or 1
  FullSearch,  // 1: 0 or 1, whether Policy is a target
};
inline constexpr int kBatchSections = 10;

std::size_t section_width(BatchSection section);
// Offset in floats of a section in a batch of `rows` rows.
std::size_t section_offset(BatchSection section, std::size_t rows);
std::size_t batch_floats(std::size_t rows);

// Writes the chosen rows. out.size() == batch_floats(choices.size()).
void fill_batch(const ReplayWindow& window, std::span<const RowChoice> choices,
                std::span<float> out);

}  // namespace baghzero
