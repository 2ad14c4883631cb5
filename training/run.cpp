#include "training/run.h"

#include "training/memory.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

std::string describe_plan(const RunConfig& config) {
  const bool overlap = config.training.schedule == Schedule::Overlap;
  const int workers = config.run.reproducible ? 1 : config.selfplay.workers;
  return "self-play on " + describe_device(config.inference) + ", " +
         (workers == 0 ? std::string("a worker per core") : std::to_string(workers) + " workers") +
         " with " + std::to_string(config.selfplay.slots_per_worker) + " games each; training " +
         (overlap ? "at the same time" : "in turns with self-play") +
         (config.run.reproducible ? ", reproducible" : "");
}

}  // namespace

RunResult train(const RunConfig& config, const std::filesystem::path& run_dir, bool resume,
                const std::string& resolved_toml, RunObserver& observer,
                const std::atomic<bool>& stop) {
  RunContext run(config, run_dir, resume, resolved_toml, observer, stop);
  run.message(describe_plan(config));
  std::string inexact;
  make_network_evaluator(run.best, config.inference, &inexact);
  if (!inexact.empty()) run.warning(inexact);
  RunResult result;
  result.end =
      config.training.schedule == Schedule::Overlap ? run_overlapping(run) : run_alternating(run);
  if (result.end != RunEnd::Stopped) play_closing_matches(run, result);
  run.store.commit();
  result.generation = run.state.generation;
  result.games = run.state.last_game;
  result.rows = run.window.total();
  result.samples = run.trainer.samples();
  result.steps = run.trainer.steps();
  result.seconds = run.seconds();
  result.peak_memory_bytes = peak_memory_bytes();
  return result;
}

}  // namespace baghzero
