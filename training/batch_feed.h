// Prepares the batches of a number of steps, one ahead of the trainer if asked to.
#pragma once

#include <array>
#include <atomic>
#include <semaphore>
#include <span>
#include <thread>
#include <vector>

#include "training/batch.h"

namespace baghzero {

struct PreparedBatch {
  int buffer = 0;  // which of the two buffers holds it
  std::vector<RowChoice> rows;
  Random::State random_after{};  // of the stream, once this batch had been drawn
};

// While a feed exists nothing may be added to its window. The two buffers, batch_floats(rows)
// floats each, belong to the caller and must outlive it. With `ahead` a thread fills one while the
// other is in use; the batches are the same either way.
class BatchFeed {
 public:
  BatchFeed(const ReplayWindow& window, const Random& random, int rows,
            const std::array<std::span<float>, 2>& buffers, int batches, bool ahead);
  ~BatchFeed();
  BatchFeed(const BatchFeed&) = delete;
  BatchFeed& operator=(const BatchFeed&) = delete;

  // The next batch, valid until the call after. At most `batches` calls.
  const PreparedBatch& next();

 private:
  void prepare(int number);

  const ReplayWindow& window_;
  Random random_;
  std::array<std::span<float>, 2> buffers_;
  std::array<PreparedBatch, 2> batches_;
  int taken_ = 0;
  std::counting_semaphore<4> free_{2};
  std::counting_semaphore<4> full_{0};
  std::atomic<bool> ending_ = false;
  std::thread thread_;  // not joinable without `ahead`
};

}  // namespace baghzero
