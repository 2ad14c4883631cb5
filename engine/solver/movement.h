// The movement phase solved: the exact value and the plies to the end of every position with all
// goats placed, by retrograde analysis (standard game; an endless game is a draw, limits and
// repetition rules do not exist).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/position.h"
#include "engine/rules.h"
#include "engine/solver/board_index.h"
#include "engine/solver/parallel.h"

namespace baghzero {

inline constexpr int kSolvedGoats = 20;
inline constexpr int kSolvedCaptures = 5;  // captures that win; layers 0..kSolvedCaptures-1 exist

// Whether games with these goats and captures are the solved ones.
constexpr bool is_solved_game(const Rules& rules) {
  return rules.goats == kSolvedGoats && rules.captures_to_win == kSolvedCaptures;
}

// An exact result for the side to move. The winner takes the fastest way, the loser the slowest.
struct SolvedValue {
  Outcome outcome = Outcome::Draw;
  int plies = -1;  // to the end; -1 for a draw or where it is not known
  friend bool operator==(const SolvedValue&, const SolvedValue&) = default;
};

class MovementTable {
 public:
  // One byte per board and side: 0 is a draw, otherwise the plies to the end plus one. The side to
  // move wins exactly when the plies are odd.
  using Code = std::uint8_t;
  struct Layer {
    std::array<std::vector<Code>, 2> codes;  // by side to move; [class * boards_per_class + rank]
  };

  // What a code says with `side` to move.
  static SolvedValue decode(Code code, Side side);

  // `position` must be in the movement phase with fewer than kSolvedCaptures captured and
  // kSolvedGoats - captured goats on the board.
  SolvedValue value(const Position& position) const;

  std::array<Layer, kSolvedCaptures>& layers() { return layers_; }
  const std::array<Layer, kSolvedCaptures>& layers() const { return layers_; }

  // Boards of one tiger class in the layer with `captured` goats gone.
  static std::uint32_t boards_per_class(int captured);
  // Index of a position's board in the layer's arrays: the same for all its symmetric images.
  static std::size_t index(const Position& position);
  // The position at an index, or nothing if another index stands for its class of symmetric boards.
  static bool position_at(int captured, std::size_t index, Side side, Position& out);

 private:
  std::array<Layer, kSolvedCaptures> layers_;
};

// The value of a position of the movement phase as far as it holds in a game with these rules,
// which must be those of the solved game, `plies_left` (above 0) plies before a limit makes it a
// draw. Nothing is said of wins that come too late, nor of draws where repetition is forbidden and
// there is no endless play. What has been repeated before is not looked at (docs/solver.md).
std::optional<SolvedValue> value_in_game(const MovementTable& table, const Position& position,
                                         const Rules& rules, int plies_left);

// Solves the layer with `captured` goats gone; that with one more gone must be solved. Returns
// false if it was stopped, and leaves the layer unfinished then.
bool solve_movement_layer(MovementTable& table, int captured, const SolveControl& control);
// Solves all layers. About 130 MiB of memory.
MovementTable solve_movement(int threads);

// Totals of one layer and side, positions counted up to symmetry.
struct MovementTotals {
  std::uint64_t positions = 0;
  std::uint64_t tiger_wins = 0;
  std::uint64_t goat_wins = 0;
  std::uint64_t draws = 0;
  int longest_tiger_win = 0;  // plies
  int longest_goat_win = 0;
  friend bool operator==(const MovementTotals&, const MovementTotals&) = default;
};
MovementTotals count_movement(const MovementTable& table, int captured, Side side);

}  // namespace baghzero
