// A self-play worker: one thread with many game slots and an evaluator of its own.
//
// One round of its loop, for one of the batches in flight:
//   renew   take up a new network, if one was published
//   await   wait for the batch's evaluations
//   refill  hand them to their slots and the cache; advance the slots that are ready: answers from
//           the cache are used at once, other leaves go into the batch; finished games go to the
//           writer
//   submit  start the evaluation
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "selfplay/game_writer.h"
#include "selfplay/phase_control.h"
#include "selfplay/published_network.h"
#include "selfplay/self_play.h"
#include "selfplay/slot.h"

namespace baghzero {

class SelfPlayWorker {
 public:
  // All references must outlive the worker. Nothing heavy happens before run().
  SelfPlayWorker(int number, const SelfPlaySetup& setup, const PublishedNetwork& networks,
                 PhaseControl& control, GameWriter& writer);

  // The thread's work, until the control shuts down. Failures go to the control.
  void run();

  // As of the last batch; for any thread.
  SelfPlayCounters counters() const;

 private:
  using Clock = std::chrono::steady_clock;
  using SlotIndex = std::uint32_t;

  // First in, first out, of fixed capacity.
  template <class Item>
  class Ring {
   public:
    explicit Ring(std::size_t capacity) : items_(capacity) {}
    std::size_t size() const { return size_; }
    void push(const Item& item) {
      const std::size_t place = begin_ + size_++;
      items_[place < items_.size() ? place : place - items_.size()] = item;
    }
    Item pop() {
      const Item item = items_[begin_];
      if (++begin_ == items_.size()) begin_ = 0;
      --size_;
      return item;
    }

   private:
    std::vector<Item> items_;
    std::size_t begin_ = 0;
    std::size_t size_ = 0;
  };

  // Buffers of one batch; rows 0..size-1 are in use.
  struct Batch {
    explicit Batch(std::size_t capacity);
    std::vector<Query> queries;
    std::vector<Evaluation> evaluations;
    std::vector<Query::Key> keys;
    std::vector<SlotIndex> slots;
    std::size_t size = 0;
    bool submitted = false;
  };

  // A slot whose leaf the cache is about to be asked for.
  struct Leaf {
    SlotIndex slot = 0;
    int hits = 0;  // of the slot's turn so far
    Query::Key key;
  };

  void play_phase();
  // Makes those that are missing; returns false if the phase ended before they were all there.
  bool make_slots();
  void renew_network();
  void await(std::size_t batch);
  void take_answer(const Batch& batch, std::size_t row, std::size_t rows);
  void collect_all();
  void refill(Batch& batch);
  void take_turn(SlotIndex slot, int hits, Batch& batch);
  void probe(Batch& batch);
  void add_row(const Leaf& leaf, Batch& batch);
  void hand_over(GameSlot& slot);
  void submit(std::size_t batch);
  void give_back(Batch& batch);
  // Adds the time since the last call to `nanoseconds`.
  void account(std::uint64_t& nanoseconds);
  void publish_counters();

  const int number_;
  const SelfPlaySetup& setup_;
  const PublishedNetwork& networks_;
  PhaseControl& control_;
  GameWriter& writer_;

  std::vector<GameSlot> slots_;
  Ring<SlotIndex> ready_;
  Ring<Leaf> leaves_;  // between two turns; empty between two batches
  std::vector<SlotIndex> idle_;
  std::vector<Batch> batches_;
  std::size_t batch_limit_ = 0;  // rows a batch is filled up to
  PublishedNetwork::Snapshot network_;
  std::unique_ptr<Evaluator> evaluator_;  // may use the buffers of batches_ until destroyed
  Evaluation cached_;
  SelfPlayCounters mine_;
  Clock::time_point last_account_;

  mutable std::mutex mutex_;
  SelfPlayCounters published_;  // guarded by mutex_
};

}  // namespace baghzero
