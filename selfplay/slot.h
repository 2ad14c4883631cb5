// One self-play game at a time as a state machine: opening plies or a late start, then a search per
// move. It stops wherever an evaluation is needed, so that a worker can advance many side by side.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/evaluation.h"
#include "engine/game.h"
#include "engine/random.h"
#include "engine/search/search.h"
#include "selfplay/counters.h"
#include "selfplay/game_record.h"
#include "selfplay/settings.h"

namespace baghzero {

// The seed that all randomness of a game comes from; stored in its record.
std::uint64_t game_seed(std::uint64_t run_seed, std::uint64_t game_index);

// Temperature for the move at `ply` (0 is the first of the game).
float temperature_at(const SelfPlaySettings& settings, int ply);

// A random late placement or movement-phase position, the game not over: random points, a random
// number of captures. Falls back to the normal start if the rules hardly allow one.
Game random_late_start(const Rules& rules, Random& random);

enum class SlotStatus : std::uint8_t {
  Idle,             // no game
  Ready,            // can be advanced
  NeedsEvaluation,  // waits for supply()
  Finished,         // the game is over and waits for take_record()
};

// Used by one thread at a time. `settings` and `rules` must outlive the slot.
class GameSlot {
 public:
  GameSlot(const SelfPlaySettings& settings, const Rules& rules);

  // Starts game number `game_index`; whatever was in progress is dropped.
  void begin(std::uint64_t game_index);
  // Goes on until an evaluation is needed or the game is over; adds to moves, full_searches and
  // simulations of `counters`. Without effect unless the slot is ready.
  SlotStatus advance(SelfPlayCounters& counters);
  // Valid after NeedsEvaluation until supply().
  const Query& query() const;
  // `generation` is that of the network that gave the evaluation.
  void supply(const Evaluation& evaluation, int generation);
  // Hints that supply() will follow; see Search.
  void prefetch_state() const { search_.prefetch_state(); }
  void prefetch_path() const { search_.prefetch_path(); }

  SlotStatus status() const { return status_; }
  std::uint64_t game_index() const { return game_index_; }
  // The finished game; the slot is idle afterwards.
  GameRecord take_record();

 private:
  void begin_opening(int plies);
  void play_opening_ply(Action action);
  void begin_search();
  void finish_search(SelfPlayCounters& counters);
  void record_move(MoveRecord move);
  Outcome verdict() const;

  const SelfPlaySettings* settings_;
  const Rules* rules_;
  const MovementTable* adjudicator_;  // null: none
  Search search_;
  Game game_;
  Random random_{0};
  GameRecord record_;
  std::uint64_t game_index_ = 0;
  Query opening_query_;
  int opening_plies_ = 0;       // of this opening
  int opening_plies_left_ = 0;  // above 0: choosing opening plies; 0: searching
  bool uniform_opening_ = false;
  bool full_search_ = false;
  bool evaluated_ = false;  // by any network yet
  SlotStatus status_ = SlotStatus::Idle;
};

}  // namespace baghzero
