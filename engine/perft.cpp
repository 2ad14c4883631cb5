#include "engine/perft.h"

#include <bit>
#include <stdexcept>
#include <string>

#include "engine/move_counting.h"

namespace baghzero {
namespace {

// Inlined by force: inside a loop over siblings most of it then moves out of the loop, which makes
// counting half as fast again.
template <Side kSide>
[[gnu::always_inline]] inline int count_moves(const Position& position) {
  const Bitboard empty = position.empty();
  if constexpr (kSide == Side::Tiger)
    return count_steps(position.tigers(), empty) +
           count_jumps(position.tigers(), position.goats(), empty);
  else
    return position.in_placement() ? std::popcount(empty) : count_steps(position.goats(), empty);
}

// Calls visit(child) for the position after every action legal on the board. Where children differ
// in one bit only, the loop is that of the bits, so that what they share is computed once.
template <Side kSide, class Visit>
void for_each_child(const Position& position, const Visit& visit) {
  const Bitboard tigers = position.tigers();
  const Bitboard goats = position.goats();
  const Bitboard empty = position.empty();
  const int in_hand = position.goats_in_hand();
  const int captured = position.captured();
  if constexpr (kSide == Side::Tiger) {
    for (Bitboard movers = tigers; movers;) {
      const Point from = pop_lowest(movers);
      const Bitboard others = tigers ^ bit(from);
      for (Bitboard targets = neighbours(from) & empty; targets; targets &= targets - 1)
        visit(Position(others | (targets & -targets), goats, in_hand, captured, Side::Goat));
      for (Bitboard victims = neighbours(from) & goats; victims;) {
        const Point over = pop_lowest(victims);
        const Point landing = jump_landing(from, over);
        if (landing == kNoPoint || !(empty & bit(landing))) continue;
        visit(
            Position(others | bit(landing), goats ^ bit(over), in_hand, captured + 1, Side::Goat));
      }
    }
  } else if (in_hand > 0) {
    for (Bitboard targets = empty; targets; targets &= targets - 1)
      visit(Position(tigers, goats | (targets & -targets), in_hand - 1, captured, Side::Tiger));
  } else {
    for (Bitboard movers = goats; movers; movers &= movers - 1) {
      const Bitboard from = movers & -movers;
      const Bitboard others = goats ^ from;
      for (Bitboard targets = neighbours(static_cast<Point>(std::countr_zero(from))) & empty;
           targets; targets &= targets - 1)
        visit(Position(tigers, others | (targets & -targets), 0, captured, Side::Tiger));
    }
  }
}

// Whether situation `h` differs from `situation` by a single step of side kSide.
template <Side kSide>
bool one_step_apart(std::uint64_t h, std::uint64_t situation) {
  const std::uint64_t difference = h ^ situation;
  const auto of_tigers = static_cast<Bitboard>(difference & kAllPoints);
  const auto of_goats = static_cast<Bitboard>(difference >> kPointCount);
  if ((kSide == Side::Tiger ? of_goats : of_tigers) != 0) return false;
  const Bitboard changed = kSide == Side::Tiger ? of_tigers : of_goats;
  const Bitboard upper = changed & (changed - 1);
  return std::has_single_bit(upper) &&
         (neighbours(static_cast<Point>(std::countr_zero(changed))) & upper) != 0;
}

// Walks the tree below one position. kRule is a template parameter so that counting without a
// repetition rule carries no history at all.
template <Repetition kRule>
class LeafCounter {
 public:
  LeafCounter(const Game& game, int depth) : captures_to_win_(game.rules().captures_to_win) {
    if constexpr (kHasHistory) {
      // A ply moves one piece and so changes two bits: situations that differ in more cannot recur.
      const std::uint64_t now = game.position().situation();
      for (const Position& earlier : game.repetition_window())
        if (std::popcount(earlier.situation() ^ now) <= 2 * depth)
          history_.push_back(earlier.situation());
      size_ = history_.size();
      history_.resize(size_ + static_cast<std::size_t>(depth));
    }
  }

  std::uint64_t count(const Position& position, int depth) {
    return position.side_to_move() == Side::Goat ? leaves<Side::Goat>(position, depth)
                                                 : leaves<Side::Tiger>(position, depth);
  }

 private:
  static constexpr bool kHasHistory = kRule != Repetition::Off;

  // Leaves `depth` >= 1 plies below `position`, at which the game is not over unless the side to
  // move has no move.
  template <Side kSide>
  std::uint64_t leaves(const Position& position, int depth) {
    constexpr Side kOther = opponent(kSide);
    if (depth == 1) return count_last<kSide>(position);
    std::uint64_t total = 0;
    for_each_child<kSide>(position, [&](const Position& child) {
      const bool capture = kSide == Side::Tiger && child.captured() != position.captured();
      if (capture && child.captured() >= captures_to_win_) return;
      if constexpr (kHasHistory) {
        if (!child.in_placement()) {
          const std::size_t begin = begin_;
          if (capture || position.in_placement()) begin_ = size_;
          if (may_go_on(child.situation())) {
            history_[size_++] = child.situation();
            total += leaves<kOther>(child, depth - 1);
            --size_;
          }
          begin_ = begin;
          return;
        }
      }
      // Counted here rather than by the recursion: the loop over siblings then shares what they
      // have in common.
      total += depth == 2 ? count_last<kOther>(child) : leaves<kOther>(child, depth - 1);
    });
    return total;
  }

  template <Side kSide>
  std::uint64_t count_last(const Position& position) const {
    auto moves = static_cast<std::uint64_t>(count_moves<kSide>(position));
    if constexpr (kRule == Repetition::Forbidden)
      for (std::size_t i = begin_; i < size_; ++i)
        if (one_step_apart<kSide>(history_[i], position.situation())) --moves;
    return moves;
  }

  // Whether play goes on below a position just reached: it is neither illegal (Forbidden) nor the
  // end (Threefold).
  bool may_go_on(std::uint64_t situation) const {
    int occurred = 0;
    for (std::size_t i = begin_; i < size_; ++i) occurred += history_[i] == situation ? 1 : 0;
    return occurred < (kRule == Repetition::Forbidden ? 1 : 2);
  }

  int captures_to_win_;
  // Situations of the path and of the game before it; those from begin_ to size_ can recur.
  std::vector<std::uint64_t> history_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

// The same game without limits and without a verdict from outside.
Game without_limits(const Game& game) {
  Rules rules = game.rules();
  rules.no_capture_limit = kNoLimit;
  rules.max_plies = kNoLimit;
  Game copy(rules, game.start(), game.start_goat_moves());
  for (const Action action : game.moves()) copy.play(action);
  return copy;
}

void check_depth(int depth, int least) {
  if (depth < least)
    throw std::invalid_argument("perft depth is " + std::to_string(depth) +
                                ", but must be at least " + std::to_string(least));
}

std::uint64_t count_leaves(const Game& game, int depth) {
  if (depth == 0) return 1;
  if (game.over()) return 0;
  switch (game.rules().repetition) {
    case Repetition::Forbidden:
      return LeafCounter<Repetition::Forbidden>(game, depth).count(game.position(), depth);
    case Repetition::Threefold:
      return LeafCounter<Repetition::Threefold>(game, depth).count(game.position(), depth);
    case Repetition::Off:
      break;
  }
  return LeafCounter<Repetition::Off>(game, depth).count(game.position(), depth);
}

}  // namespace

std::uint64_t perft(const Game& game, int depth) {
  check_depth(depth, 0);
  return count_leaves(without_limits(game), depth);
}

std::vector<PerftDivision> perft_divide(const Game& game, int depth) {
  check_depth(depth, 1);
  std::vector<PerftDivision> parts;
  Game walked = without_limits(game);
  const ActionList actions = walked.legal();
  for (const Action action : actions) {
    walked.play(action);
    parts.push_back({action, count_leaves(walked, depth - 1)});
    walked.undo();
  }
  return parts;
}

}  // namespace baghzero
