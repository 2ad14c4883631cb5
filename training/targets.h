// Training rows: what the network saw at a searched move and what it should have answered.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/evaluation.h"
#include "selfplay/game_record.h"

namespace baghzero {

// Resolution of stored probabilities.
inline constexpr int kShareUnit = 65'535;

// One position of a finished game, packed: a row takes sizeof(TrainingRow) bytes (152) in the
// window. Everything refers to the position as it was played; symmetries are applied on sampling.
struct TrainingRow {
  Query::Key query;
  // In units of 1/kShareUnit, by index into the query's legal actions; the units sum to kShareUnit.
  // All zero without a full search.
  std::array<std::uint16_t, kMaxLegalActions> policy{};
  // The value target for the side to move; the rest to kShareUnit is the loss.
  std::uint16_t win = 0;
  std::uint16_t draw = 0;
  // Who stands where when the game is over.
  Bitboard final_tigers = 0;
  Bitboard final_goats = 0;
  std::uint16_t plies_left = 0;  // moves still to be played, this one included; at least 1
  std::uint8_t final_captured = 0;
  Action reply = kNoAction;  // the opponent's next move; kNoAction if the game ended before it
  bool full_search = false;  // whether `policy` is a target

  Wdl value() const;
};

static_assert(sizeof(TrainingRow) == 152);

// The query that `key` was made from; the inverse of make_key().
Query unpack_query(const Query::Key& key);

// Appends one row per searched move of a finished game. `value_search_share` (0..1) is the weight
// of the search's value against the outcome in the value target. Returns how many were appended.
// Throws std::runtime_error if the record does not replay or has not ended.
int append_rows(const GameRecord& record, double value_search_share,
                std::vector<TrainingRow>& rows);
// How many rows append_rows() would append.
int count_rows(const GameRecord& record);

}  // namespace baghzero
