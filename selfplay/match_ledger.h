// The state that the threads of a match share: which games are still to be started, and the
// finished ones until they are taken in order.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/game.h"
#include "selfplay/match.h"

namespace baghzero {

struct FinishedGame {
  Game game;
  std::string forfeit;  // as in MatchGame
};

// Game 2 * i is the game of pair i in which the first player is goat, 2 * i + 1 its twin.
class MatchLedger {
 public:
  // `stop_request` may be null.
  MatchLedger(int pairs, int workers, const std::atomic<bool>* stop_request);

  // For workers.
  // The next game to play, in order; -1 if there is none or the match is stopped.
  int take_game();
  // Whether games in progress are to be dropped.
  bool stopped() const;
  void count_ply() { plies_.fetch_add(1, std::memory_order_relaxed); }
  void finish(int game_index, FinishedGame game);
  // Stops the match; the first error is kept.
  void fail(std::exception_ptr error);
  // Called once by every worker, as the last thing.
  void leave();

  // For the calling thread.
  // Waits for both games of `pair`, milliseconds longer than they take; nothing if they will not
  // come. Meanwhile calls `waiting` now and then, without the lock.
  std::optional<std::pair<FinishedGame, FinishedGame>> take_pair(
      int pair, const std::function<void()>& waiting);
  MatchProgress progress() const;
  void stop();
  void rethrow_failure() const;

 private:
  const int games_;
  const std::atomic<bool>* const stop_request_;
  std::atomic<int> next_game_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<std::int64_t> plies_{0};
  std::atomic<int> finished_games_{0};

  mutable std::mutex mutex_;         // guards everything below
  std::condition_variable changed_;  // when a worker leaves
  std::vector<std::optional<FinishedGame>> finished_;
  int workers_;
  std::exception_ptr failure_;
};

}  // namespace baghzero
