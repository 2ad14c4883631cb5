// A game: a start position, the moves since, and the rules that need history (repetition, limits).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/position.h"
#include "engine/rules.h"

namespace baghzero {

// The verdict of the rules on a position, before any limit or repetition is considered.
struct Ending {
  Outcome outcome = Outcome::Unfinished;
  Termination termination = Termination::None;
  bool over() const { return outcome != Outcome::Unfinished; }
};

// The end by captures or by a side to move without a move. `board_moves` counts the actions legal
// on the board, `allowed_moves` those that repetition leaves.
Ending ending_by_moves(const Position& position, const Rules& rules, int board_moves,
                       int allowed_moves);

// Value semantics; not thread-safe. A movement-phase start position counts as having occurred once.
class Game {
 public:
  // Throws std::invalid_argument if the rules make no sense.
  explicit Game(const Rules& rules = {});
  // Starts from `start`, before which goats had made `goat_moves` moves (only used by text forms).
  // Every goat of `start` is in hand, on the board or captured: the three add up to rules.goats.
  Game(const Rules& rules, const Position& start, int goat_moves);

  const Rules& rules() const { return rules_; }
  const Position& position() const { return positions_.back(); }
  const Position& start() const { return positions_.front(); }
  Side side_to_move() const { return position().side_to_move(); }
  // All positions from the start to now, and the moves between them (one fewer).
  std::span<const Position> positions() const { return positions_; }
  std::span<const Action> moves() const { return moves_; }
  int plies() const { return static_cast<int>(moves_.size()); }
  // Goat moves made so far, those before the start position included.
  int goat_moves() const;
  int start_goat_moves() const { return start_goat_moves_; }

  // Plies of the movement phase since the last capture (or since that phase began).
  int plies_without_capture() const;
  // Positions whose situation counts for repetition now: a suffix of positions(), empty while goats
  // are in hand.
  std::span<const Position> repetition_window() const;
  // How often the situation of `position` lies in the repetition window.
  int occurrences(const Position& position) const;
  // Whether `action`, legal on the board, is barred by `repetition = forbidden`.
  bool is_barred(Action action) const;

  // Legal actions, in ascending order; empty once the game is over.
  const ActionList& legal() const { return legal_; }
  bool over() const { return ending_.over(); }
  Outcome outcome() const { return ending_.outcome; }
  Termination termination() const { return ending_.termination; }

  // Throws std::invalid_argument saying why if `action` is not legal here.
  void play(Action action);
  // Takes back the last move. Throws std::logic_error at the start position.
  void undo();
  // Ends an unfinished game with a verdict from outside the rules; undo() takes it back together
  // with the last move. Throws std::logic_error if the game is over or the verdict is Unfinished.
  void adjudicate(Outcome outcome);
  // The same for a game that `loser` forfeits; also turns a verdict that it has lost into that.
  void forfeit(Side loser);

  // Why `action` may not be played here, as the end of a sentence; empty if it may.
  std::string why_illegal(Action action) const;

 private:
  void push(const Position& position);
  void refresh();

  Rules rules_;
  int start_goat_moves_ = 0;
  std::vector<Position> positions_;
  std::vector<int> window_begin_;  // per position: index of the first position of its window
  std::vector<Action> moves_;
  ActionList legal_;
  Ending ending_;
};

}  // namespace baghzero
