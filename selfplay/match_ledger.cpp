#include "selfplay/match_ledger.h"

#include <utility>

namespace baghzero {

MatchLedger::MatchLedger(int pairs, std::span<const int> played, int workers,
                         const std::atomic<bool>* stop_request)
    : stop_request_(stop_request), workers_(workers) {
  std::vector<bool> known(2 * static_cast<std::size_t>(pairs));
  for (const int index : played) known[static_cast<std::size_t>(index)] = true;
  for (std::size_t index = 0; index < known.size(); ++index)
    if (!known[index]) to_play_.push_back(static_cast<int>(index));
}

int MatchLedger::take_game() {
  if (stopped()) return -1;
  const std::size_t next = next_game_.fetch_add(1, std::memory_order_relaxed);
  return next < to_play_.size() ? to_play_[next] : -1;
}

bool MatchLedger::stopped() const {
  return stopped_.load(std::memory_order_relaxed) ||
         (stop_request_ != nullptr && stop_request_->load(std::memory_order_relaxed));
}

void MatchLedger::finish(FinishedGame game) {
  const std::lock_guard lock(mutex_);
  finished_.push_back(std::move(game));
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

std::vector<FinishedGame> MatchLedger::take_finished(const std::function<void()>& waiting) {
  // Looked for now and then: games may last microseconds, and to be woken for each costs as much.
  constexpr std::chrono::milliseconds kGlance{5};
  constexpr int kGlancesBetweenCalls = 40;
  std::unique_lock lock(mutex_);
  for (int glances = 1;; ++glances) {
    const bool all_left = changed_.wait_for(lock, kGlance, [&] { return workers_ == 0; });
    if (all_left || !finished_.empty()) return std::exchange(finished_, {});
    if (glances % kGlancesBetweenCalls != 0) continue;
    lock.unlock();
    waiting();
    lock.lock();
  }
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
