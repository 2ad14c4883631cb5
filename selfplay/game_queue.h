// A bounded queue between threads. Any thread may push and pop; push blocks while the queue is
// full, pop while it is empty.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace baghzero {

template <class Item>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  void push(Item item) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [this] { return items_.size() < capacity_; });
    items_.push_back(std::move(item));
    most_ = std::max(most_, items_.size());
    lock.unlock();
    has_items_.notify_one();
  }

  // Empty once the queue is closed and everything in it has been popped.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    has_items_.wait(lock, [this] { return !items_.empty() || closed_; });
    if (items_.empty()) return std::nullopt;
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    lock.unlock();
    has_room_.notify_one();
    return item;
  }

  // The most that it has held at once since the last call, as a share of its capacity.
  double take_peak() {
    const std::scoped_lock lock(mutex_);
    return static_cast<double>(std::exchange(most_, items_.size())) /
           static_cast<double>(capacity_);
  }

  // Nothing is pushed after this.
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    has_items_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_items_;
  std::deque<Item> items_;  // guarded by mutex_, as are the two below
  std::size_t most_ = 0;
  bool closed_ = false;
};

}  // namespace baghzero
