// The network that workers should use now. Looking whether it has changed costs one load.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "nn/inference.h"

namespace baghzero {

// Any thread may call any function at any time.
class PublishedNetwork {
 public:
  struct Snapshot {
    NetworkPtr network;
    std::uint64_t version = 0;
  };

  explicit PublishedNetwork(NetworkPtr network) : current_{std::move(network), 1} {}

  void publish(NetworkPtr network) {
    const std::scoped_lock lock(mutex_);
    current_.network = std::move(network);
    version_.store(++current_.version, std::memory_order_relaxed);
  }
  // Equal numbers: the same network.
  std::uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  Snapshot get() const {
    const std::scoped_lock lock(mutex_);
    return current_;
  }

 private:
  mutable std::mutex mutex_;
  Snapshot current_;  // guarded by mutex_
  std::atomic<std::uint64_t> version_{1};
};

}  // namespace baghzero
