#include "selfplay/worker.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "selfplay/thread_name.h"

namespace baghzero {
namespace {

// A slot whose leaves the cache keeps answering gives way to the others after so many.
constexpr int kCacheHitsPerTurn = 256;

// How many leaves or answers ahead memory is told what will be needed; what a search points to is
// known only once its own state is there.
constexpr std::size_t kCacheAhead = 4;
constexpr std::size_t kStateAhead = 2;
constexpr std::size_t kPathAhead = 1;

}  // namespace

SelfPlayWorker::Batch::Batch(std::size_t capacity)
    : queries(capacity), evaluations(capacity), keys(capacity), slots(capacity) {}

SelfPlayWorker::SelfPlayWorker(int number, const SelfPlaySetup& setup,
                               const PublishedNetwork& networks, PhaseControl& control,
                               GameWriter& writer)
    : number_(number),
      setup_(setup),
      networks_(networks),
      control_(control),
      writer_(writer),
      ready_(static_cast<std::size_t>(setup.settings.slots_per_worker)),
      leaves_(kCacheAhead) {}

void SelfPlayWorker::run() {
  name_this_thread("selfplay-" + std::to_string(number_));
  std::uint64_t phase = 0;
  while (control_.await_phase(phase)) {
    try {
      play_phase();
    } catch (...) {
      control_.fail(std::current_exception());
      evaluator_.reset();
    }
    publish_counters();
    if (control_.leave()) writer_.push_end_of_phase();
  }
  evaluator_.reset();
}

SelfPlayCounters SelfPlayWorker::counters() const {
  const std::scoped_lock lock(mutex_);
  return published_;
}

void SelfPlayWorker::play_phase() {
  last_account_ = Clock::now();
  if (!make_slots()) return;
  for (const SlotIndex slot : idle_) ready_.push(slot);
  idle_.clear();
  if (networks_.version() != network_.version) renew_network();

  for (std::size_t next = 0; idle_.size() < slots_.size(); next = (next + 1) % batches_.size()) {
    if (control_.leaving()) break;
    if (networks_.version() != network_.version) {
      collect_all();
      renew_network();
      next = 0;
    }
    await(next);
    refill(batches_[next]);
    if (control_.leaving()) {
      give_back(batches_[next]);
      break;
    }
    submit(next);
    publish_counters();
  }
  collect_all();
}

// Tens of thousands of slots take a while to make: whoever stops the phase need not wait for that.
bool SelfPlayWorker::make_slots() {
  const auto count = static_cast<SlotIndex>(setup_.settings.slots_per_worker);
  slots_.reserve(count);
  idle_.reserve(count);
  for (auto slot = static_cast<SlotIndex>(slots_.size()); slot < count; ++slot) {
    if (control_.leaving()) return false;
    slots_.emplace_back(setup_.settings, setup_.rules);
    idle_.push_back(slot);
  }
  return true;
}

void SelfPlayWorker::renew_network() {
  const bool first = !evaluator_;
  network_ = networks_.get();
  evaluator_.reset();
  evaluator_ = setup_.make_evaluator(network_.network);
  if (!evaluator_ || evaluator_->max_batch() < 1 || evaluator_->in_flight() < 1)
    throw std::logic_error("the evaluator factory of self-play made nothing that can evaluate");
  // Not more batches than slots, and so large that every slot finds room in one of them.
  const auto groups = std::min(static_cast<std::size_t>(evaluator_->in_flight()), slots_.size());
  const auto max_batch = static_cast<std::size_t>(evaluator_->max_batch());
  batch_limit_ = std::min(max_batch, (slots_.size() + groups - 1) / groups);
  batches_.clear();
  for (std::size_t i = 0; i < groups; ++i) batches_.emplace_back(batch_limit_);
  if (!first) ++mine_.network_switches;
  account(mine_.evaluation_nanoseconds);
}

// Afterwards the rows of the batch carry answers, or there are none.
void SelfPlayWorker::await(std::size_t batch_number) {
  Batch& batch = batches_[batch_number];
  if (!batch.submitted) return;
  evaluator_->wait(static_cast<int>(batch_number));
  batch.submitted = false;
  account(mine_.evaluation_nanoseconds);
}

void SelfPlayWorker::take_answer(const Batch& batch, std::size_t row, std::size_t rows) {
  if (setup_.cache) {
    const std::uint64_t identity = network_.network->identity();
    if (row + kCacheAhead < rows) setup_.cache->prefetch(identity, batch.keys[row + kCacheAhead]);
    setup_.cache->insert(identity, batch.keys[row], batch.queries[row].legal.size(),
                         batch.evaluations[row]);
  }
  if (row + kStateAhead < rows) slots_[batch.slots[row + kStateAhead]].prefetch_state();
  if (row + kPathAhead < rows) slots_[batch.slots[row + kPathAhead]].prefetch_path();
  slots_[batch.slots[row]].supply(batch.evaluations[row], network_.network->generation());
  ready_.push(batch.slots[row]);
}

void SelfPlayWorker::collect_all() {
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    await(i);
    const std::size_t rows = std::exchange(batches_[i].size, 0);
    for (std::size_t row = 0; row < rows; ++row) take_answer(batches_[i], row, rows);
  }
  account(mine_.search_nanoseconds);
}

// Every answer is followed by a turn, most often of the same slot, whose tree is then in the
// processor's cache. A turn adds at most one row, so rows are read before they are overwritten.
void SelfPlayWorker::refill(Batch& batch) {
  const std::size_t answered = std::exchange(batch.size, 0);
  const std::size_t turns = ready_.size() + answered;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    if (turn < answered) take_answer(batch, turn, answered);
    if (control_.leaving()) continue;
    if (batch.size + leaves_.size() == batch_limit_) break;
    take_turn(ready_.pop(), 0, batch);
    while (leaves_.size() == kCacheAhead) probe(batch);
  }
  while (leaves_.size() > 0 && !control_.leaving()) probe(batch);
  while (leaves_.size() > 0) ready_.push(leaves_.pop().slot);
  account(mine_.search_nanoseconds);
}

// Ends with the slot among the leaves (without a cache: in the batch), ready or idle.
void SelfPlayWorker::take_turn(SlotIndex index, int hits, Batch& batch) {
  GameSlot& slot = slots_[index];
  while (slot.advance(mine_) != SlotStatus::NeedsEvaluation) {
    if (slot.status() == SlotStatus::Finished) {
      if (!control_.claim_finish()) {
        ready_.push(index);
        return;
      }
      hand_over(slot);
    }
    const auto game = control_.claim_game();
    if (!game) {
      idle_.push_back(index);
      return;
    }
    slot.begin(*game);
  }
  const Leaf leaf{index, hits, make_key(slot.query())};
  if (setup_.cache) {
    setup_.cache->prefetch(network_.network->identity(), leaf.key);
    leaves_.push(leaf);
  } else {
    add_row(leaf, batch);
  }
}

// Answers the oldest leaf from the cache and lets its slot go on, or adds it to the batch.
void SelfPlayWorker::probe(Batch& batch) {
  const Leaf leaf = leaves_.pop();
  GameSlot& slot = slots_[leaf.slot];
  if (!setup_.cache->find(network_.network->identity(), leaf.key, slot.query().legal.size(),
                          cached_)) {
    add_row(leaf, batch);
    return;
  }
  ++mine_.cache_hits;
  slot.supply(cached_, network_.network->generation());
  if (leaf.hits + 1 < kCacheHitsPerTurn)
    take_turn(leaf.slot, leaf.hits + 1, batch);
  else
    ready_.push(leaf.slot);
}

void SelfPlayWorker::add_row(const Leaf& leaf, Batch& batch) {
  const std::size_t row = batch.size++;
  batch.queries[row] = slots_[leaf.slot].query();
  batch.keys[row] = leaf.key;
  batch.slots[row] = leaf.slot;
}

void SelfPlayWorker::hand_over(GameSlot& slot) {
  GameRecord record = slot.take_record();
  ++mine_.games;
  ++mine_.outcomes[static_cast<std::size_t>(record.outcome)];
  ++mine_.terminations[static_cast<std::size_t>(record.termination)];
  account(mine_.search_nanoseconds);
  writer_.push(slot.game_index(), std::move(record));
  account(mine_.queue_nanoseconds);
}

void SelfPlayWorker::submit(std::size_t batch_number) {
  Batch& batch = batches_[batch_number];
  if (batch.size == 0) return;
  evaluator_->submit(static_cast<int>(batch_number), std::span(batch.queries).first(batch.size),
                     std::span(batch.evaluations).first(batch.size));
  batch.submitted = true;
  mine_.rows += batch.size;
  ++mine_.batches;
  mine_.batch_capacity += static_cast<std::uint64_t>(evaluator_->max_batch());
  account(mine_.evaluation_nanoseconds);
}

void SelfPlayWorker::give_back(Batch& batch) {
  for (std::size_t row = 0; row < batch.size; ++row) ready_.push(batch.slots[row]);
  batch.size = 0;
}

void SelfPlayWorker::account(std::uint64_t& nanoseconds) {
  const Clock::time_point now = Clock::now();
  nanoseconds += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_account_).count());
  last_account_ = now;
}

void SelfPlayWorker::publish_counters() {
  const std::scoped_lock lock(mutex_);
  published_ = mine_;
}

}  // namespace baghzero
