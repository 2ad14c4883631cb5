// A stop flag for work of limited time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace baghzero {

// Its flag becomes true when another one does, when a deadline passes, or on request; a thread of
// its own watches both. `outer` must outlive it.
class TimedStop {
 public:
  using Clock = std::chrono::steady_clock;
  TimedStop(const std::atomic<bool>& outer, std::optional<Clock::time_point> deadline);

  // Up to date when asked for, a moment late afterwards.
  const std::atomic<bool>& flag() {
    look();
    return flag_;
  }
  // Whether the deadline was what raised the flag.
  bool time_is_up() const { return time_is_up_; }
  void request() { flag_ = true; }

 private:
  void watch(const std::stop_token& ended);
  void look();

  const std::atomic<bool>& outer_;
  const std::optional<Clock::time_point> deadline_;
  std::atomic<bool> flag_ = false;
  std::atomic<bool> time_is_up_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;  // last: it uses all the others
};

}  // namespace baghzero
