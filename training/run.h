// A training run: self-play, training, gates and promotions until a limit is reached or it is told
// to stop. What it leaves on disk:
//
//   <run_dir>/run.toml            the resolved configuration, as given
//   <run_dir>/run.sqlite          games, generations, gates, matches, metrics, events (run_store.h)
//   <run_dir>/models/gen-NNNN.bzn one model file per generation
//   <run_dir>/state/              trainer states (checkpoint.h)
//   <run_dir>/lock                held by the process that trains here
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "selfplay/match.h"
#include "training/run_config.h"
#include "training/run_observer.h"

namespace baghzero {

// Scores of the last generation in a closing match, 0..1 (a draw counts half).
struct ClosingScore {
  bool played = false;
  int pairs = 0;  // fewer than run.closing_pairs if run.minutes cut the match off
  double total = 0;
  double as_goat = 0;
  double as_tiger = 0;
};

enum class RunEnd : std::uint8_t { Stopped, Generations, Minutes, SampleBudget };

struct RunResult {
  RunEnd end = RunEnd::Stopped;
  // Nothing was left to do: an earlier start had played the closing matches.
  bool was_finished = false;
  int generation = 0;  // the last promoted one
  std::int64_t games = 0;
  std::int64_t rows = 0;  // training rows those games gave
  std::int64_t samples = 0;
  std::int64_t steps = 0;
  double seconds = 0;  // wall time from every start to its end together
  ClosingScore against_random;
  ClosingScore against_greedy;
  std::int64_t peak_memory_bytes = 0;  // the highest of all starts
};

// Runs until a limit of config.run is reached or `stop` becomes true; then games in progress are
// dropped, everything else is saved and train returns. A run that has reached its limits and
// played its closing matches is left as it is, and its result returned. `resolved_toml` is written
// to run.toml. Without `resume` the folder must not hold a run yet; with it, it must, and the
// rules, the network and the seed must be those it was started with. `opponents` are those that
// config.evaluation.opponents names. Throws std::runtime_error or std::invalid_argument with a
// sentence for people.
RunResult train(const RunConfig& config, const std::filesystem::path& run_dir, bool resume,
                const std::string& resolved_toml, RunObserver& observer,
                const std::atomic<bool>& stop, std::span<const Player> opponents = {});

}  // namespace baghzero
