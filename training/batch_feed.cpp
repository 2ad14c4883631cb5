#include "training/batch_feed.h"

namespace baghzero {

BatchFeed::BatchFeed(const ReplayWindow& window, const Random& random, int rows,
                     const std::array<std::span<float>, 2>& buffers, int batches, bool ahead)
    : window_(window), random_(random), buffers_(buffers) {
  for (int i = 0; i < 2; ++i) {
    batches_[i].buffer = i;
    batches_[i].rows.resize(static_cast<std::size_t>(rows));
  }
  if (!ahead) return;
  thread_ = std::thread([this, batches] {
    for (int number = 0; number < batches; ++number) {
      free_.acquire();
      if (ending_) return;
      prepare(number);
      full_.release();
    }
  });
}

BatchFeed::~BatchFeed() {
  if (!thread_.joinable()) return;
  ending_ = true;
  free_.release();
  thread_.join();
}

void BatchFeed::prepare(int number) {
  PreparedBatch& batch = batches_[number % 2];
  window_.sample(random_, batch.rows);
  fill_batch(window_, batch.rows, buffers_[batch.buffer]);
  batch.random_after = random_.state();
}

const PreparedBatch& BatchFeed::next() {
  const int number = taken_++;
  if (!thread_.joinable()) {
    prepare(number);
  } else {
    // The batch before this one has been used; its buffer may be filled again.
    if (number > 0) free_.release();
    full_.acquire();
  }
  return batches_[number % 2];
}

}  // namespace baghzero
