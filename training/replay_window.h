// The rows that training samples from: the latest ones of the run, as many as the growth formula
// grants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/random.h"
#include "training/settings.h"
#include "training/targets.h"

namespace baghzero {

// Window in rows after `total` rows of the run (see TrainingSettings::window_min_rows).
std::int64_t window_rows(const TrainingSettings& settings, std::int64_t total);

// One row of a batch: which one, and under which symmetry of the board.
struct RowChoice {
  std::uint32_t slot = 0;  // see ReplayWindow::row()
  std::uint8_t symmetry = 0;
};

// A ring of fixed capacity (window_max_rows). Not thread-safe: nothing may be added while others
// read.
class ReplayWindow {
 public:
  // Throws std::invalid_argument if the sizes make no sense.
  explicit ReplayWindow(const TrainingSettings& settings);

  void add(std::span<const TrainingRow> rows);
  // Rows of the run before the first one that will be added: for refilling after a resume.
  void start_at(std::int64_t total);

  std::int64_t total() const { return total_; }  // rows of the run so far
  std::int64_t size() const;                     // rows that may be sampled
  // Whether enough rows for training are there (window_min_rows).
  bool ready() const { return total_ >= min_rows_; }

  // Uniform draws with replacement, each under a uniform symmetry. size() must not be 0.
  void sample(Random& random, std::span<RowChoice> choices) const;
  const TrainingRow& row(std::uint32_t slot) const { return rows_[slot]; }

 private:
  TrainingSettings settings_;
  std::int64_t min_rows_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t total_ = 0;
  std::size_t next_ = 0;  // where the next row goes
  std::vector<TrainingRow> rows_;
};

}  // namespace baghzero
