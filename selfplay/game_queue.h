// A bounded queue between threads. Any thread may push and pop; push blocks while the queue is
// full, pop while it is empty.
#pragma once

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
  std::deque<Item> items_;  // guarded by mutex_
  bool closed_ = false;     // guarded by mutex_
};

}  // namespace baghzero
