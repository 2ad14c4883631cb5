// A game that is played forward and taken back inside a search: what Game says about legality and
// ends, at the price of a few comparisons and without an allocation per move.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/game.h"

namespace baghzero {

// Positions on the line are numbered from 0, the beginning of the game's repetition window (or the
// game's present position while goats are in hand); those of the game's past come first.
class GameLine {
 public:
  static constexpr int kNever = 1'000'000;

  // Begins at the present of `game`, which is not over. Allocates only for games longer than any
  // before.
  void begin(const Game& game);

  const Position& position() const { return positions_.back(); }
  Side side_to_move() const { return position().side_to_move(); }
  // Number of the present position, and of the first whose situation counts for repetition now.
  int index() const { return static_cast<int>(positions_.size()) - 1; }
  int window_begin() const { return window_begin_.back(); }
  // Plies until a limit ends the game as a draw; 0 once it has.
  int plies_to_limit() const;

  // `action` is legal.
  void push(Action action);
  // Takes back the last push().
  void pop();

  // Sets `legal` to the legal actions, ascending, and returns how the game stands; `legal` is
  // empty if it is over. Agrees with Game in everything.
  Ending look(ActionList& legal) const;
  // The same ending without the list; faster.
  Ending ending() const;
  // The first position of the past that had a say in the last look() or ending(), by barring a move
  // or by counting towards a draw; kNever if none had.
  int earliest_cause() const { return earliest_cause_; }

  // At least so many plies pass before a situation of the past can come back; kNever if none can.
  int plies_to_repetition() const;

 private:
  static constexpr unsigned kFilterBits = 12;
  static std::size_t filter_index(std::uint64_t situation) {
    return situation * 0x9e3779b97f4a7c15ULL >> (64 - kFilterBits);
  }
  void append(const Position& position, int window_begin);
  // Whether a situation lies in the window; notes the earliest place as a cause.
  bool has_occurred(std::uint64_t situation) const;
  int count_occurrences(std::uint64_t situation) const;
  bool is_barred(Action action) const;
  Ending end_by_draw() const;

  Rules rules_;
  int plies_before_ = 0;  // of the game, before position 0 of the line
  std::vector<Position> positions_;
  std::vector<int> window_begin_;
  // How many situations of the line fall on each entry: most questions end here.
  std::array<std::uint16_t, std::size_t{1} << kFilterBits> filter_{};
  mutable int earliest_cause_ = kNever;
};

}  // namespace baghzero
