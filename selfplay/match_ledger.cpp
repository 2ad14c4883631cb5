#include "selfplay/match_ledger.h"

namespace baghzero {

MatchLedger::MatchLedger(int pairs, int workers, const std::atomic<bool>* stop_request)
    : games_(2 * pairs),
      stop_request_(stop_request),
      finished_(static_cast<std::size_t>(games_)),
      workers_(workers) {}

int MatchLedger::take_game() {
  if (stopped()) return -1;
  const int game_index = next_game_.fetch_add(1, std::memory_order_relaxed);
  return game_index < games_ ? game_index : -1;
}

bool MatchLedger::stopped() const {
  return stopped_.load(std::memory_order_relaxed) ||
         (stop_request_ != nullptr && stop_request_->load(std::memory_order_relaxed));
}

void MatchLedger::finish(int game_index, FinishedGame game) {
  const std::lock_guard lock(mutex_);
  finished_[static_cast<std::size_t>(game_index)] = std::move(game);
  finished_games_.fetch_add(1, std::memory_order_relaxed);
}

void MatchLedger::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(error);
  stop();
}

void MatchLedger::leave() {
  // Notifies under the lock: the ledger may be gone as soon as the last worker has been counted.
  const std::lock_guard lock(mutex_);
  --workers_;
  changed_.notify_one();
}

std::optional<std::pair<FinishedGame, FinishedGame>> MatchLedger::take_pair(
    int pair, const std::function<void()>& waiting) {
  // Looked for now and then: games may last microseconds, and to be woken for each costs as much.
  constexpr std::chrono::milliseconds kGlance{5};
  constexpr int kGlancesBetweenCalls = 40;
  const std::size_t first_game = 2 * static_cast<std::size_t>(pair);
  auto& as_goat = finished_[first_game];
  auto& as_tiger = finished_[first_game + 1];
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return (as_goat && as_tiger) || workers_ == 0; };
  for (int glances = 1; !changed_.wait_for(lock, kGlance, ready); ++glances) {
    if (glances % kGlancesBetweenCalls != 0) continue;
    lock.unlock();
    waiting();
    lock.lock();
  }
  if (!as_goat || !as_tiger) return std::nullopt;
  std::pair<FinishedGame, FinishedGame> games(std::move(*as_goat), std::move(*as_tiger));
  as_goat.reset();
  as_tiger.reset();
  return games;
}

MatchProgress MatchLedger::progress() const {
  return {finished_games_.load(std::memory_order_relaxed), plies_.load(std::memory_order_relaxed)};
}

void MatchLedger::stop() { stopped_.store(true, std::memory_order_relaxed); }

void MatchLedger::rethrow_failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace baghzero
