// The state that the threads of a match share: which games are still to be started, and the
// finished ones until they are taken.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/game.h"
#include "selfplay/match.h"

namespace baghzero {

struct FinishedGame {
  int index =
      0;  // 2 * i: the game of pair i in which the first player is goat; 2 * i + 1: its twin
  Game game;
  std::string forfeit;  // as in MatchGame
};

class MatchLedger {
 public:
  // For `workers` threads. `played` are indices of games that nobody has to play any more.
  // `stop_request` may be null.
  MatchLedger(int pairs, std::span<const int> played, int workers,
              const std::atomic<bool>* stop_request);

  // For workers.
  // Index of the next game to play, in order; -1 if there is none or the match is stopped.
  int take_game();
  // Whether games in progress are to be dropped.
  bool stopped() const;
  void count_ply() { plies_.fetch_add(1, std::memory_order_relaxed); }
  void finish(FinishedGame game);
  // Stops the match; the first error is kept.
  void fail(std::exception_ptr error);
  // Called once by every worker, as the last thing.
  void leave();

  // For the calling thread.
  // The games that have finished since the last call, as they did; waits for one, milliseconds
  // longer than it takes. Empty only if all workers have left: then there will be none. Meanwhile
  // calls `waiting` now and then, without the lock.
  std::vector<FinishedGame> take_finished(const std::function<void()>& waiting);
  MatchProgress progress() const;
  void stop();
  void rethrow_failure() const;

 private:
  std::vector<int> to_play_;  // indices; never changed
  const std::atomic<bool>* const stop_request_;
  std::atomic<std::size_t> next_game_{0};  // of to_play_
  std::atomic<bool> stopped_{false};
  std::atomic<std::int64_t> plies_{0};
  std::atomic<int> finished_games_{0};

  mutable std::mutex mutex_;            // guards everything below
  std::condition_variable changed_;     // when a worker leaves
  std::vector<FinishedGame> finished_;  // not taken yet
  int workers_;
  std::exception_ptr failure_;
};

}  // namespace baghzero
