// The phases of a run. All of them work on the context that the loop hands them and return early
// once it is told to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "selfplay/self_play.h"
#include "training/gate.h"
#include "training/run_context.h"

namespace baghzero {

// Self-play (run_selfplay.cpp) --------------------------------------------------------------------

// A generator as this run configures it, playing with `run.best`. It reports to run.collector.
std::unique_ptr<SelfPlay> make_self_play(RunContext& run, std::uint64_t first_game);
// Plays games until the iteration has `games_per_iteration` and the window enough rows. With
// run.reproducible `generator` is not used: every iteration has one of its own, and its games are
// dropped if it cannot be finished.
void play_iteration(RunContext& run, std::unique_ptr<SelfPlay>& generator);
// "214 games, 9,120 evals/s, batch fill 97 %"
std::string describe_self_play(const SelfPlayCounters& since, double seconds);

// Warns of workers that have done nothing for long. For a phase under way.
void watch_workers(RunContext& run, const SelfPlay& generator);

// Training (run_training.cpp) ---------------------------------------------------------------------

// Takes the steps allowed now, for at most `seconds` (0: no such bound).
void train_backlog(RunContext& run, double seconds);
// Losses of the averaged weights as trained and as played; warns if they differ.
void report_play_gap(RunContext& run, const NetworkPtr& candidate);

// Gate and promotion (run_gates.cpp) --------------------------------------------------------------

struct GateRun {
  GateEntry entry;
  NetworkPtr candidate;
  NetworkPtr opponent;
  std::vector<MatchGame> played;  // before an interruption
};
struct GateStanding {
  int games = 0;           // finished, those before an interruption included
  std::int64_t plies = 0;  // played since then, also in games under way
  int pairs = 0;           // of which the score is
  double score = 0;        // 0..1
};
// Possibly called from another thread.
using GateProgress = std::function<void(const GateStanding&)>;

// Whether the last gate was of exactly these weights and has its verdict, perhaps since before a
// resume: another one would play the same games again.
bool already_decided(const RunContext& run);
// The gate that an earlier start left unfinished, or a new one of the averaged weights.
GateRun begin_gate(RunContext& run);
// Plays it until `stop` ends it. Touches the store and the configuration only, so it may run in
// another thread.
GateResult play_gate(RunContext& run, const GateRun& gate, const std::atomic<bool>& stop,
                     const GateProgress& progress);
// Records the verdict; a promoted candidate becomes run.best and a generation.
void conclude_gate(RunContext& run, GateRun gate, const GateResult& result);
// Says that run.minutes ended a gate; with more of them a resume goes on with it.
void report_cut_off(RunContext& run, const GateResult& result);
// All of that, with progress to the observer.
enum class GateEnd : std::uint8_t { Decided, Stopped, TimeIsUp };
GateEnd hold_gate(RunContext& run);

// Evaluation (run_evaluation.cpp) -----------------------------------------------------------------

// Matches of one generation, whose games count in the ladder of the run.
struct EvaluationRun {
  struct Opponent {
    std::string label;  // in metrics: a name, or "previous", "2_before", "4_before", …
    Player player;
    int pairs_before = 0;  // stored between the two
  };
  int generation = 0;
  std::int64_t samples = 0;  // of that generation
  Player subject;
  std::vector<Opponent> opponents;
};
struct EvaluationResult {
  bool complete = false;              // else it was told to stop, and nothing of it counts
  std::vector<MatchReport> matches;   // by opponent; fewer pairs where the time ran out
  std::vector<std::string> failures;  // a sentence for every opponent that could not play
  double seconds = 0;
};
// Called with pairs played, of all opponents; possibly from another thread.
using EvaluationProgress = std::function<void(int pairs, const std::string& opponent)>;

// That of run.best, if evaluation.every says so and it has not been held, perhaps before a resume.
std::optional<EvaluationRun> due_evaluation(RunContext& run);
// Plays it within evaluation.seconds, until `stop` ends it. Touches the configuration and the box
// of warnings only, so it may run in another thread.
EvaluationResult play_evaluation(RunContext& run, const EvaluationRun& evaluation,
                                 const std::atomic<bool>& stop, const EvaluationProgress& progress);
// Stores and reports a complete one.
void conclude_evaluation(RunContext& run, const EvaluationRun& evaluation,
                         const EvaluationResult& result);
// All of that, with progress to the observer. It is cut off where run.minutes cut off a gate.
void hold_evaluation(RunContext& run);

// Distance from perfect play (run_yardstick.cpp) --------------------------------------------------

// Measures run.best by the suite of solved positions, if there is one and it has not been done:
// into the database, as metrics "perfect/…" and as a line for people. Nothing is kept if the run is
// told to stop meanwhile; a resume does it.
void measure_by_suite(RunContext& run);

// Reports and the end (run_report.cpp, run_closing.cpp) -------------------------------------------

// Ends the iteration: counts it, and reports everything since the last one, in numbers and in a
// line for people.
void finish_iteration(RunContext& run);
// Plays the last generation against random and greedy within run.minutes, fills in their scores and
// marks the run as finished. A run that is told to stop meanwhile has ended as stopped; a resume
// plays them.
void play_closing_matches(RunContext& run, RunResult& result);
// Fills in the scores of a run that was finished before.
void recall_closing_matches(const RunContext& run, RunResult& result);

// The two schedules (run_alternate.cpp, run_overlap.cpp) ------------------------------------------

// Both return when a limit is reached or the run is told to stop.
RunEnd run_alternating(RunContext& run);
RunEnd run_overlapping(RunContext& run);

}  // namespace baghzero
