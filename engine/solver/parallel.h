// Work shared by threads that take one block after another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace baghzero {

// How a solver works: on how many threads, until when, and whom it tells.
struct SolveControl {
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;  // ends the work soon after it is set
  std::function<void(double share)> progress =
      {};  // 0..1 of the piece of work; in the calling thread
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

// Splits [0, count) into blocks and calls work(thread, begin, end) for each, in ascending order
// within a thread; thread 0 is the calling one. Stops between blocks when asked to or when `work`
// throws, and then throws the first exception. Returns whether all was done.
template <class Work>
bool parallel_blocks(const SolveControl& control, std::size_t count, std::size_t block, Work work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  std::mutex error_lock;
  const auto loop = [&](int thread) {
    try {
      while (!control.stopped() && !failed) {
        const std::size_t begin = next.fetch_add(block);
        if (begin >= count) break;
        work(thread, begin, std::min(begin + block, count));
      }
    } catch (...) {
      const std::lock_guard lock(error_lock);
      if (!failed.exchange(true)) error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < control.threads; ++thread) others.emplace_back(loop, thread);
    loop(0);
  }
  if (error) std::rethrow_exception(error);
  return !control.stopped();
}

}  // namespace baghzero
