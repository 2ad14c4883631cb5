#include "engine/agents/game_line.h"

#include <algorithm>
#include <bit>

namespace baghzero {
namespace {

constexpr std::size_t kExpectedPlies = 1024;

// Whether a side can have displaced `displaced` of its pieces for good with `moves` moves.
bool can_displace(int displaced, int moves) {
  return moves >= displaced && !(displaced == 0 && moves == 1);
}

// The fewest plies from `now` to a position with the situation of `then`.
int plies_between(const Position& now, const Position& then) {
  int mover = std::popcount(now.tigers() ^ then.tigers()) / 2;
  int other = std::popcount(now.goats() ^ then.goats()) / 2;
  if (now.side_to_move() == Side::Goat) std::swap(mover, other);
  int plies = 1;
  while (!can_displace(mover, (plies + 1) / 2) || !can_displace(other, plies / 2)) ++plies;
  return plies;
}

}  // namespace

void GameLine::begin(const Game& game) {
  rules_ = game.rules();
  positions_.clear();
  window_begin_.clear();
  positions_.reserve(kExpectedPlies);
  window_begin_.reserve(kExpectedPlies);
  filter_.fill(0);
  const std::span<const Position> window = game.repetition_window();
  if (window.empty()) {
    append(game.position(), 0);
  } else {
    for (const Position& position : window) append(position, 0);
  }
  plies_before_ = game.plies() - index();
}

void GameLine::append(const Position& position, int window_begin) {
  positions_.push_back(position);
  window_begin_.push_back(window_begin);
  ++filter_[filter_index(position.situation())];
}

int GameLine::plies_to_limit() const {
  int left = rules_.max_plies - plies_before_ - index();
  if (!position().in_placement())
    left = std::min(left, rules_.no_capture_limit - (index() - window_begin()));
  return std::max(left, 0);
}

void GameLine::push(Action action) {
  const Position& now = position();
  const Position next = now.after(action);
  const bool same_window = !now.in_placement() && now.captured() == next.captured();
  append(next, same_window ? window_begin() : index() + 1);
}

void GameLine::pop() {
  --filter_[filter_index(position().situation())];
  positions_.pop_back();
  window_begin_.pop_back();
}

bool GameLine::has_occurred(std::uint64_t situation) const {
  if (filter_[filter_index(situation)] == 0) return false;
  for (int i = window_begin(); i <= index(); ++i)
    if (positions_[static_cast<std::size_t>(i)].situation() == situation) {
      earliest_cause_ = std::min(earliest_cause_, i);
      return true;
    }
  return false;
}

int GameLine::count_occurrences(std::uint64_t situation) const {
  if (filter_[filter_index(situation)] < 2) return 1;  // the present one
  int count = 0;
  for (int i = window_begin(); i <= index(); ++i)
    if (positions_[static_cast<std::size_t>(i)].situation() == situation) {
      if (i < index()) earliest_cause_ = std::min(earliest_cause_, i);
      ++count;
    }
  return count;
}

bool GameLine::is_barred(Action action) const {
  return !is_jump(action) && has_occurred(position().after(action).situation());
}

Ending GameLine::end_by_draw() const {
  if (rules_.repetition == Repetition::Threefold && !position().in_placement() &&
      count_occurrences(position().situation()) >= 3)
    return {Outcome::Draw, Termination::Repetition};
  if (plies_to_limit() > 0) return {};
  const bool by_captures =
      !position().in_placement() && index() - window_begin() >= rules_.no_capture_limit;
  return {Outcome::Draw, by_captures ? Termination::NoCaptureLimit : Termination::MaxPlies};
}

Ending GameLine::look(ActionList& legal) const {
  earliest_cause_ = kNever;
  board_legal_actions(position(), legal);
  const int board_moves = legal.size();
  if (rules_.repetition == Repetition::Forbidden && !position().in_placement() &&
      index() > window_begin()) {
    ActionList allowed;
    for (const Action action : legal)
      if (!is_barred(action)) allowed.push_back(action);
    if (allowed.size() < legal.size()) legal = allowed;
  }
  Ending ending = ending_by_moves(position(), rules_, board_moves, legal.size());
  if (!ending.over()) ending = end_by_draw();
  if (ending.over()) legal.clear();
  return ending;
}

Ending GameLine::ending() const {
  earliest_cause_ = kNever;
  int board_moves = count_board_legal_actions(position());
  int allowed = board_moves;
  if (rules_.repetition == Repetition::Forbidden && !position().in_placement() &&
      index() > window_begin() && board_moves > 0) {
    allowed = 0;
    for (const Action action : board_legal_actions(position()))
      if (!is_barred(action)) {
        allowed = 1;
        break;
      }
    if (allowed > 0)
      earliest_cause_ = kNever;  // some move is left: nothing hung on the barred ones
  }
  const Ending ending = ending_by_moves(position(), rules_, board_moves, allowed);
  return ending.over() ? ending : end_by_draw();
}

int GameLine::plies_to_repetition() const {
  if (rules_.repetition == Repetition::Off || position().in_placement()) return kNever;
  int nearest = kNever;
  for (int i = window_begin(); i < index(); ++i)
    nearest = std::min(nearest, plies_between(position(), positions_[static_cast<std::size_t>(i)]));
  return nearest;
}

}  // namespace baghzero
