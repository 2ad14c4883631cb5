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

// Training (run_training.cpp) ---------------------------------------------------------------------

// Takes the steps allowed now, for at most `seconds` (0: no such bound).
void train_backlog(RunContext& run, double seconds);
// Losses of the averaged weights as trained and as played; warns if they differ.
void report_play_gap(RunContext& run, const NetworkPtr& candidate);

// Gate and promotion (run_trial.cpp) --------------------------------------------------------------

struct Trial {
  GateEntry entry;
  NetworkPtr candidate;
  NetworkPtr opponent;
  std::vector<MatchGame> played;  // before an interruption
};
// Called with pairs played and the score so far; possibly from another thread.
using TrialProgress = std::function<void(int pairs, double score)>;

// Whether the last trial was of exactly these weights and has its verdict, be it of an earlier
// sitting: another one would play the same games again.
bool already_decided(const RunContext& run);
// The trial that an earlier sitting left unfinished, or a new one of the averaged weights.
Trial begin_trial(RunContext& run);
// Plays it. Touches the store and the configuration only, so it may run in another thread.
GateResult play_trial(RunContext& run, const Trial& trial, const TrialProgress& progress);
// Records the verdict; a promoted candidate becomes run.best and a generation.
void conclude_trial(RunContext& run, Trial trial, const GateResult& result);
// All three, with progress to the observer. Returns false if it was interrupted.
bool run_trial(RunContext& run);

// Reports and the end (run_report.cpp, run_closing.cpp) -------------------------------------------

// Numbers of everything since the last report, and a line for people.
void report_iteration(RunContext& run);
// Plays the last generation against random and greedy, and fills in their scores. A run that is
// told to stop meanwhile has ended as stopped; a resume plays them.
void play_closing_matches(RunContext& run, RunResult& result);

// The two schedules (run_alternate.cpp, run_overlap.cpp) ------------------------------------------

// Both return when a limit is reached or the run is told to stop.
RunEnd run_alternating(RunContext& run);
RunEnd run_overlapping(RunContext& run);

}  // namespace baghzero
