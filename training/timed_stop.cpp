#include "training/timed_stop.h"

namespace baghzero {
namespace {

constexpr std::chrono::milliseconds kGlance{20};

}  // namespace

TimedStop::TimedStop(const std::atomic<bool>& outer, std::optional<Clock::time_point> deadline)
    : outer_(outer), deadline_(deadline) {
  look();
  watcher_ = std::jthread([this](const std::stop_token& ended) { watch(ended); });
}

void TimedStop::look() {
  if (outer_) {
    flag_ = true;
  } else if (deadline_ && Clock::now() >= *deadline_) {
    time_is_up_ = true;
    flag_ = true;
  }
}

void TimedStop::watch(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  while (!flag_ && !wake_.wait_for(lock, ended, kGlance, [&] { return ended.stop_requested(); }))
    look();
}

}  // namespace baghzero
