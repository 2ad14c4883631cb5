#include "engine/search/immediate_win.h"

#include <bit>

namespace baghzero::search_detail {
namespace {

// Empty points next to a tiger.
Bitboard step_targets(const Position& position) {
  Bitboard targets = 0;
  for (Bitboard tigers = position.tigers(); tigers;) targets |= neighbours(pop_lowest(tigers));
  return targets & position.empty();
}

}  // namespace

int immediate_win(const Position& position, const ActionList& legal, const Rules& rules) {
  if (legal.empty()) return -1;
  if (position.side_to_move() == Side::Tiger) {
    // Jumps have the highest numbers.
    const bool wins =
        position.captured() + 1 >= rules.captures_to_win && is_jump(legal[legal.size() - 1]);
    return wins ? legal.size() - 1 : -1;
  }
  // One move fills one point, so the tigers must not have two to step to.
  if (std::popcount(step_targets(position)) > 1) return -1;
  for (int i = 0; i < legal.size(); ++i) {
    const Position next = position.after(legal[i]);
    if (step_targets(next) == 0 && immobile_tigers(next) == next.tigers()) return i;
  }
  return -1;
}

}  // namespace baghzero::search_detail
