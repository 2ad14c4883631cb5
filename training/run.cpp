#include "training/run.h"

#include <algorithm>

#include "engine/text.h"
#include "nn/benchmark.h"
#include "training/memory.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

// Long enough for a first impression of the device, too short to keep anyone waiting.
constexpr double kSpeedSeconds = 0.2;
constexpr const char* kPeakMemoryKey = "peak_memory_bytes";

std::string describe_plan(const RunConfig& config, Evaluator& evaluator) {
  const bool overlap = config.training.schedule == Schedule::Overlap;
  const int workers = config.run.reproducible ? 1 : config.selfplay.workers;
  const double speed = measure_evaluator(evaluator, config.inference.max_batch, kSpeedSeconds);
  return "self-play on " + describe_device(config.inference) + ", " +
         (workers == 0 ? std::string("a worker per core") : counted(workers, "worker")) + " with " +
         counted(config.selfplay.slots_per_worker, "game") + " each, one alone " +
         grouped(static_cast<std::int64_t>(speed)) + " evals/s in batches of " +
         std::to_string(config.inference.max_batch) + "; training " +
         (overlap ? "at the same time" : "in turns with self-play") +
         (config.run.reproducible ? ", reproducible" : "");
}

// Says what will happen, and what the device cannot do as asked.
void announce(RunContext& run) {
  std::string inexact;
  const auto evaluator = make_network_evaluator(run.best, run.config.inference, &inexact);
  run.warnings.post(inexact);
  run.message(describe_plan(run.config, *evaluator));
  run.relay_warnings();
}

void play_run(RunContext& run, RunResult& result) {
  run.set_finished(false);
  announce(run);
  measure_by_suite(run);
  const bool overlap = run.config.training.schedule == Schedule::Overlap;
  result.end = overlap ? run_overlapping(run) : run_alternating(run);
  if (result.end != RunEnd::Stopped) play_closing_matches(run, result);
}

std::int64_t highest_memory(RunStore& store) {
  const std::int64_t before = store.meta_number(kPeakMemoryKey).value_or(0);
  const std::int64_t highest = std::max(before, peak_memory_bytes());
  store.set_meta(kPeakMemoryKey, std::to_string(highest));
  return highest;
}

}  // namespace

RunResult train(const RunConfig& config, const std::filesystem::path& run_dir, bool resume,
                const std::string& resolved_toml, RunObserver& observer,
                const std::atomic<bool>& stop, std::span<const Player> opponents) {
  RunContext run(config, run_dir, resume, resolved_toml, observer, stop);
  run.opponents = opponents;
  RunResult result;
  if (!run.ready()) {
    result.end = RunEnd::Stopped;
  } else if (const std::optional<RunEnd> end = run.finished_end()) {
    result.was_finished = true;
    result.end = *end;
    recall_closing_matches(run, result);
    result.peak_memory_bytes = run.store.meta_number(kPeakMemoryKey).value_or(0);
  } else {
    play_run(run, result);
    result.peak_memory_bytes = highest_memory(run.store);
    run.save();
  }
  result.generation = run.state.generation;
  result.games = run.state.last_game;
  result.rows = run.window.total();
  result.samples = run.trainer.samples();
  result.steps = run.trainer.steps();
  result.seconds = result.was_finished ? run.state.seconds : run.seconds();
  return result;
}

}  // namespace baghzero
