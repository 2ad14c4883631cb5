#include "selfplay/phase_control.h"

#include <stdexcept>
#include <utility>

namespace baghzero {

void PhaseControl::start(const PhaseGoal& goal) {
  if (goal.games < 0)
    throw std::invalid_argument("a self-play phase of " + std::to_string(goal.games) +
                                " games was asked for");
  {
    const std::scoped_lock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    if (running_) throw std::logic_error("a self-play phase was started while one is running");
    goal_ = goal;
    running_ = true;
    no_new_games_ = false;
    leaving_ = false;
    finished_ = 0;
    active_workers_ = worker_count_;
    ++phase_;
  }
  phase_begins_.notify_all();
}

void PhaseControl::stop(Unfinished unfinished) {
  const std::scoped_lock lock(mutex_);
  if (!running_) return;
  no_new_games_ = true;
  if (unfinished == Unfinished::Keep) leaving_ = true;
}

bool PhaseControl::wait(std::optional<std::chrono::milliseconds> patience) {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return !running_; };
  if (!patience)
    phase_ends_.wait(lock, over);
  else if (!phase_ends_.wait_for(lock, *patience, over))
    return false;
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

void PhaseControl::shut_down() {
  stop(Unfinished::Keep);
  {
    std::unique_lock lock(mutex_);
    phase_ends_.wait(lock, [this] { return !running_; });
    shut_down_ = true;
  }
  phase_begins_.notify_all();
}

std::uint64_t PhaseControl::next_game() const {
  const std::scoped_lock lock(mutex_);
  return next_game_;
}

bool PhaseControl::await_phase(std::uint64_t& last_phase) {
  std::unique_lock lock(mutex_);
  phase_begins_.wait(lock, [&] { return shut_down_ || phase_ != last_phase; });
  last_phase = phase_;
  return !shut_down_;
}

std::optional<std::uint64_t> PhaseControl::claim_game() {
  const std::scoped_lock lock(mutex_);
  if (no_new_games_ || leaving_) return std::nullopt;
  const bool exact = goal_.unfinished == Unfinished::Finish && goal_.games > 0;
  if (exact && finished_ + in_progress_ >= goal_.games) return std::nullopt;
  ++in_progress_;
  unwritten_.insert(unwritten_.end(), next_game_);
  return next_game_++;
}

bool PhaseControl::claim_finish() {
  const std::scoped_lock lock(mutex_);
  const bool exact = goal_.unfinished == Unfinished::Keep && goal_.games > 0;
  if (exact && finished_ == goal_.games) return false;
  ++finished_;
  --in_progress_;
  if (exact && finished_ == goal_.games) leaving_ = true;
  return true;
}

bool PhaseControl::leave() {
  const std::scoped_lock lock(mutex_);
  return --active_workers_ == 0;
}

bool PhaseControl::is_next_in_order(std::uint64_t game) const {
  const std::scoped_lock lock(mutex_);
  return *unwritten_.begin() == game;
}

void PhaseControl::written(std::uint64_t game) {
  const std::scoped_lock lock(mutex_);
  unwritten_.erase(game);
}

void PhaseControl::phase_written() {
  {
    const std::scoped_lock lock(mutex_);
    running_ = false;
  }
  phase_ends_.notify_all();
}

void PhaseControl::fail(std::exception_ptr failure) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  leaving_ = true;
}

}  // namespace baghzero
