#include "training/shard_pool.h"

namespace baghzero {
namespace {

std::exception_ptr attempt(const std::function<void(int)>& job, int shard) {
  try {
    job(shard);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

ShardPool::ShardPool(int shards) {
  for (int shard = 1; shard < shards; ++shard) {
    Helper& helper = *helpers_.emplace_back(std::make_unique<Helper>());
    helper.thread = std::thread([this, &helper, shard] { work(helper, shard); });
  }
}

ShardPool::~ShardPool() {
  job_ = nullptr;
  for (const auto& helper : helpers_) helper->start.release();
  for (const auto& helper : helpers_) helper->thread.join();
}

void ShardPool::work(Helper& helper, int shard) {
  while (true) {
    helper.start.acquire();
    if (job_ == nullptr) return;
    helper.error = attempt(*job_, shard);
    helper.done.release();
  }
}

void ShardPool::run(const std::function<void(int shard)>& job) {
  job_ = &job;
  for (const auto& helper : helpers_) helper->start.release();
  std::exception_ptr error = attempt(job, 0);
  for (const auto& helper : helpers_) {
    helper->done.acquire();
    if (!error) error = helper->error;
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace baghzero
