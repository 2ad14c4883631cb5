#include "engine/search/path_history.h"

#include <algorithm>

namespace baghzero::search_detail {

void RootWindow::assign(std::span<const Position> window, std::size_t expected) {
  situations_.clear();
  situations_.reserve(expected);
  tigers_.clear();
  goats_.clear();
  for (const Position& position : window) {
    situations_.push_back(position.situation());
    tigers_.add(position.tigers());
    goats_.add(position.goats());
  }
}

void remove_action(ActionList& list, Action action) {
  if (!list.contains(action)) return;
  const ActionList before = list;
  list.clear();
  for (Action other : before)
    if (other != action) list.push_back(other);
}

void remove_barred_by_window(const RootWindow& window, const Position& position,
                             ActionList& legal) {
  const Side mover = position.side_to_move();
  const bool possible = mover == Side::Tiger ? window.may_hold_goats(position.goats())
                                             : window.may_hold_tigers(position.tigers());
  if (!possible) return;
  for (std::uint64_t earlier : window.situations()) {
    const Action back = step_between(mover, position.situation(), earlier);
    if (back != kNoAction) remove_action(legal, back);
  }
}

int occurrences_in_window(const RootWindow& window, const Position& position) {
  if (!window.may_hold_goats(position.goats())) return 0;
  return static_cast<int>(std::ranges::count(window.situations(), position.situation()));
}

}  // namespace baghzero::search_detail
