// The state machine of a generator's phases, shared by its owner, the workers and the writer:
//
//   idle --start--> running --goal reached, stop or failure--> leaving --workers left, games
//   written--> idle
//
// Everything but leaving() takes one lock; that happens a few times per game, never per leaf.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <set>

#include "selfplay/self_play.h"

namespace baghzero {

class PhaseControl {
 public:
  PhaseControl(int workers, std::uint64_t first_game)
      : worker_count_(workers), next_game_(first_game) {}

  // ---- For the owner; see SelfPlay.
  void start(const PhaseGoal& goal);
  void stop(Unfinished unfinished);
  // Rethrows the failure, if any, once the phase is over.
  bool wait(std::optional<std::chrono::milliseconds> patience);
  // Ends a running phase, waits until it is over and sends the workers home. Never throws.
  void shut_down();
  std::uint64_t next_game() const;

  // ---- For workers.
  // Waits for a phase after `last_phase` and sets it; false if there will be none.
  bool await_phase(std::uint64_t& last_phase);
  // Index of a new game to start; none if this phase needs no more.
  std::optional<std::uint64_t> claim_game();
  // Whether a finished game may be handed over; if not, it belongs to the next phase.
  bool claim_finish();
  // Whether to leave the phase at the next batch, games in progress or not.
  bool leaving() const { return leaving_.load(std::memory_order_relaxed); }
  // A worker has left the phase. True for the last one, which must tell the writer.
  bool leave();

  // ---- For the writer.
  // Whether no game of a lower index is still to be written.
  bool is_next_in_order(std::uint64_t game) const;
  void written(std::uint64_t game);
  void phase_written();

  // ---- For both: ends the phase; the first failure is the one that counts.
  void fail(std::exception_ptr failure);

 private:
  const int worker_count_;
  mutable std::mutex mutex_;
  std::condition_variable phase_begins_;
  std::condition_variable phase_ends_;
  std::atomic<bool> leaving_ = false;  // written under mutex_

  // Guarded by mutex_.
  PhaseGoal goal_;
  std::uint64_t phase_ = 0;
  bool running_ = false;
  bool shut_down_ = false;
  bool no_new_games_ = false;
  int active_workers_ = 0;
  std::int64_t finished_ = 0;     // games handed over in this phase
  std::int64_t in_progress_ = 0;  // games in slots, finished ones not handed over included
  std::uint64_t next_game_;
  std::set<std::uint64_t> unwritten_;  // started games that the sink does not have
  std::exception_ptr failure_;
};

}  // namespace baghzero
