// What the phases of a run share. One thread, that of the loop, uses all of it; only the collector,
// the store, the boxes of warnings and the observer's warning() are also used by others.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "nn/inference.h"
#include "selfplay/calibration.h"
#include "selfplay/counters.h"
#include "selfplay/judge.h"
#include "training/checkpoint.h"
#include "training/replay_window.h"
#include "training/run.h"
#include "training/run_folder.h"
#include "training/run_health.h"
#include "training/run_store.h"
#include "training/trainer.h"

namespace baghzero {

struct CollectedGame {
  GameRecord record;
  std::vector<std::byte> encoded;
  std::vector<TrainingRow> rows;
};

// Takes finished games from self-play's writer thread and makes their rows there; the loop fetches
// them whenever it likes. put() never blocks: the loop may be waiting for self-play itself.
class GameCollector final : public GameSink {
 public:
  explicit GameCollector(double value_search_share) : value_search_share_(value_search_share) {}
  void put(GameRecord record) override;
  std::vector<CollectedGame> take();
  // Most games that waited at once since the last call.
  std::int64_t take_peak();

 private:
  double value_search_share_;
  std::mutex mutex_;
  std::vector<CollectedGame> games_;
  std::int64_t peak_ = 0;
};

// Sentences of threads that may not talk to people themselves; each is handed on once.
class WarningBox {
 public:
  void post(const std::string& text);  // empty: nothing
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::set<std::string> known_;
  std::vector<std::string> fresh_;
};

// What run.minutes leaves to whom, in seconds of wall time since the run began: after `training`
// nothing but a gate and the closing matches may go on, after `gates` only the latter, after
// `whole` nothing. All of them infinite without that limit.
struct TimeLimits {
  double training;
  double gates;
  double whole;
};
TimeLimits time_limits(const RunConfig& config);

// Sums of what happened since the last report.
struct RunTally {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  SelfPlayCounters counters;
  double selfplay_seconds = 0;
  double queue_peak = 0;  // how full the queue of finished games was at most, 0..1
  ValueCalibration calibration;
  double store_seconds = 0;  // that the loop spent on the database and on states
  TrainingReport training;   // means weighted by steps
  bool resumed = false;      // a part of it happened before a resume and is not in here

  void add(const TrainingReport& report);
};

struct RunContext {
  // Opens or creates the run: lock, database, weights, window. See train(). Told to stop meanwhile,
  // it ends early, with ready() false and nothing changed.
  RunContext(const RunConfig& configuration, const std::filesystem::path& root, bool resume,
             const std::string& resolved_toml, RunObserver& run_observer,
             const std::atomic<bool>& stop_flag);

  bool ready() const { return ready_; }

  // To people and into the database.
  void message(const std::string& text);
  void warning(const std::string& text);
  void metrics(const std::map<std::string, double>& values) { metrics(trainer.samples(), values); }
  // Of something that was trained with `samples`, such as a generation.
  void metrics(std::int64_t samples, const std::map<std::string, double>& values);
  // To people, and every few seconds into the database.
  void progress(const PhaseProgress& progress);
  // Hands on what other threads had to warn of.
  void relay_warnings();

  // Stores games, adds their rows to the window and credits the trainer with them.
  void absorb(const std::vector<CollectedGame>& games);
  // Writes a state that includes everything so far.
  void save();
  bool save_is_due() const;  // whether the last one is older than save_interval

  double seconds() const;  // wall time of the run
  // When a number of seconds of the run will have passed; nothing if that is never.
  std::optional<std::chrono::steady_clock::time_point> moment(double run_seconds) const;
  bool stopping() const { return stop.load(std::memory_order_relaxed); }
  // The limit that has been reached, if any; Minutes as soon as nothing may be trained any more.
  std::optional<RunEnd> reached_limit() const;
  // How the run has ended, if it has: at a limit that still holds, its closing matches played.
  std::optional<RunEnd> finished_end() const;
  void set_finished(bool finished);
  // Steps that the credit, the window and the sample budget allow now.
  std::int64_t steps_allowed() const;
  // "rows 36,000 of 100,000"
  std::string rows_awaited() const;
  // Evaluators and searches of gates and matches.
  int match_workers() const;

  const RunConfig config;
  const Suite suite;  // without positions if solver.suite names none
  const TimeLimits limits;
  RunFolder folder;
  RunObserver& observer;
  const std::atomic<bool>& stop;
  RunLock lock;
  GameCollector collector;
  WarningBox warnings;
  WarningBox shown_warnings;  // shown already, and to be stored
  ReplayWindow window;
  Trainer trainer;
  RunStore store;
  RunState state;  // without its trainer part, which is filled in by save()
  NetworkPtr best;
  std::span<const Player> opponents;  // of evaluations
  RunTally tally;
  StallWatch stall_watch;
  TroubleNews trouble;
  std::chrono::steady_clock::duration save_interval = std::chrono::minutes(2);
  // Games of self-play start at this index; no two starts of a run share one.
  std::uint64_t first_game = 0;

 private:
  void restore();      // reads what an earlier start has left; changes nothing
  void begin_again();  // the first traces of a resume
  void refill_window();
  void begin_generation_zero();
  NetworkPtr load_newest_generation();

  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_save_;
  std::optional<std::chrono::steady_clock::time_point> last_progress_;
  double seconds_before_ = 0;                 // wall time before this start
  std::vector<DamagedState> damaged_states_;  // that were passed over and are to be set aside
  bool saved_ = false;  // whether the newest state on disk and the database make up this start
  bool ready_ = false;
  LoopWatch loop_watch_;  // last: it tells of all that
};

// A network whose strength is to be told: it searches as in self-play, but never with the solved
// game, which would be measured instead.
Player measured_player(const RunConfig& config, NetworkPtr network, std::string name, int visits);
// The best network so, as the results of a run call it ("generation 4"), with the gate's visits.
Player best_player(const RunContext& run);

}  // namespace baghzero
