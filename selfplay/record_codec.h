// The content of a stored game, before compression and without checksum. encode_game() and
// decode_game() wrap it; see there for the promises. This form is separate so that its reading can
// be tested against hostile content that carries a correct checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selfplay/game_record.h"

namespace baghzero {

// Longer games are refused; what it allows fits into kMaxRecordContent bytes.
inline constexpr int kMaxStoredPlies = 1 << 16;
inline constexpr std::size_t kMaxRecordContent = std::size_t{kMaxStoredPlies} * 180 + 64;

// Layout, numbers as in byte_stream.h:
//   first_generation, last_generation (signed numbers), seed (64 bits)
//   rules: goats, captures_to_win, repetition (a byte each), no_capture_limit, max_plies (numbers)
//   start: Position::key() (64 bits), start_goat_moves (number)
//   number of moves (number), then per move
//     flags (byte): 1 searched, 2 full search
//     place of the played action among the legal ones (byte)
//     if searched: visits (number), win and loss of root_wdl in 1/65535 (16 bits each)
//     if full search: count (byte), then place (byte, ascending) and share in 1/65535 (16 bits)
//   outcome, termination (a byte each)
// Throws std::invalid_argument if the record contradicts itself.
std::vector<std::byte> encode_record_content(const GameRecord& record);
// Throws std::runtime_error.
GameRecord decode_record_content(std::span<const std::byte> content);

}  // namespace baghzero
