// A few threads that do the same job on parts of a batch: one of them is the caller's.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace baghzero {

// Long-lived threads, for LibTorch keeps state per thread. Used by one thread at a time.
class ShardPool {
 public:
  explicit ShardPool(int shards);
  ~ShardPool();
  ShardPool(const ShardPool&) = delete;
  ShardPool& operator=(const ShardPool&) = delete;

  int shards() const { return static_cast<int>(helpers_.size()) + 1; }
  // Calls job(0), ..., job(shards() - 1) at the same time, job(0) in the calling thread, and waits
  // for all of them. Rethrows the first exception by number.
  void run(const std::function<void(int shard)>& job);

 private:
  struct Helper {
    std::binary_semaphore start{0};
    std::binary_semaphore done{0};
    std::exception_ptr error;
    std::thread thread;
  };
  void work(Helper& helper, int shard);

  const std::function<void(int)>* job_ = nullptr;  // null: the threads end
  std::vector<std::unique_ptr<Helper>> helpers_;
};

}  // namespace baghzero
