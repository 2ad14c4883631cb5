#include "engine/game.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace baghzero {

Ending ending_by_moves(const Position& position, const Rules& rules, int board_moves,
                       int allowed_moves) {
  if (position.captured() >= rules.captures_to_win)
    return {Outcome::TigersWin, Termination::Captures};
  if (allowed_moves > 0) return {};
  const Side mover = position.side_to_move();
  const Outcome outcome = win_for(opponent(mover));
  if (board_moves > 0) return {outcome, Termination::RepetitionExhausted};
  return {outcome, mover == Side::Tiger ? Termination::TigersBlocked : Termination::GoatsBlocked};
}

Game::Game(const Rules& rules) : Game(rules, Position(rules.goats), 0) {}

Game::Game(const Rules& rules, const Position& start, int goat_moves)
    : rules_(rules), start_goat_moves_(goat_moves) {
  check_rules(rules);
  push(start);
  refresh();
}

int Game::goat_moves() const {
  const int by_goats = start().side_to_move() == Side::Goat ? (plies() + 1) / 2 : plies() / 2;
  return start_goat_moves_ + by_goats;
}

std::span<const Position> Game::repetition_window() const {
  if (position().in_placement()) return {};
  return std::span(positions_).subspan(window_begin_.back());
}

int Game::plies_without_capture() const {
  if (position().in_placement()) return 0;
  return static_cast<int>(positions_.size()) - 1 - window_begin_.back();
}

int Game::occurrences(const Position& position) const {
  return static_cast<int>(std::ranges::count(repetition_window(), position.situation(),
                                             [](const Position& p) { return p.situation(); }));
}

bool Game::is_barred(Action action) const {
  return rules_.repetition == Repetition::Forbidden && !is_jump(action) &&
         occurrences(position().after(action)) > 0;
}

void Game::push(const Position& position) {
  const int index = static_cast<int>(positions_.size());
  int window_begin = index;
  if (index > 0) {
    const Position& previous = positions_.back();
    if (!previous.in_placement() && previous.captured() == position.captured())
      window_begin = window_begin_.back();
  }
  positions_.push_back(position);
  window_begin_.push_back(window_begin);
}

void Game::refresh() {
  ending_ = {};
  board_legal_actions(position(), legal_);
  const int board_moves = legal_.size();
  if (rules_.repetition == Repetition::Forbidden && repetition_window().size() > 1) {
    ActionList allowed;
    for (Action action : legal_)
      if (!is_barred(action)) allowed.push_back(action);
    legal_ = allowed;
  }
  ending_ = ending_by_moves(position(), rules_, board_moves, legal_.size());
  if (!ending_.over()) {
    if (rules_.repetition == Repetition::Threefold && occurrences(position()) >= 3)
      ending_ = {Outcome::Draw, Termination::Repetition};
    else if (plies_without_capture() >= rules_.no_capture_limit)
      ending_ = {Outcome::Draw, Termination::NoCaptureLimit};
    else if (plies() >= rules_.max_plies)
      ending_ = {Outcome::Draw, Termination::MaxPlies};
  }
  if (ending_.over()) legal_.clear();
}

void Game::play(Action action) {
  if (!legal_.contains(action)) throw std::invalid_argument("illegal move: " + why_illegal(action));
  push(position().after(action));
  moves_.push_back(action);
  refresh();
}

void Game::undo() {
  if (moves_.empty()) throw std::logic_error("no move to take back");
  positions_.pop_back();
  window_begin_.pop_back();
  moves_.pop_back();
  refresh();
}

void Game::adjudicate(Outcome outcome) {
  if (over()) throw std::logic_error("a game that is over cannot be adjudicated");
  if (outcome == Outcome::Unfinished) throw std::logic_error("a verdict must end the game");
  ending_ = {outcome, Termination::Adjudicated};
  legal_.clear();
}

void Game::forfeit(Side loser) {
  const Outcome outcome = win_for(opponent(loser));
  const bool verdict = ending_.termination == Termination::Adjudicated;
  if (!verdict) adjudicate(outcome);
  if (ending_.outcome != outcome)
    throw std::logic_error("a game that a side has not lost cannot be its forfeit");
  ending_.termination = Termination::Forfeit;
}

std::string Game::why_illegal(Action action) const {
  if (over()) return "the game is over (" + std::string(to_string(termination())) + ")";
  if (legal_.contains(action)) return "";
  if (action >= kActionCount) return "no such action";
  if (is_board_legal(position(), action)) return "it repeats an earlier situation";
  const ActionInfo& info = action_info(action);
  const bool goat = side_to_move() == Side::Goat;
  if (goat && position().in_placement() && info.kind != ActionKind::Placement)
    return "goats move only after all of them have been placed";
  if (goat && !position().in_placement() && info.kind == ActionKind::Placement)
    return "all goats have been placed";
  if (!goat && info.kind == ActionKind::Placement) return "it is the tigers' turn";
  if (goat && info.kind == ActionKind::Jump) return "goats never jump";
  if (info.from != kNoPoint &&
      !((goat ? position().goats() : position().tigers()) & bit(info.from)))
    return goat ? "no goat stands on the first point" : "no tiger stands on the first point";
  if (!(position().empty() & bit(info.to))) return "the target point is not empty";
  return "there is no goat to jump over";
}

}  // namespace baghzero
