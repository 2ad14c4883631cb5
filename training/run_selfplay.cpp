#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/text.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{200};

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

bool minutes_are_over(const RunContext& run) { return run.reached_limit() == RunEnd::Minutes; }

// Games that this iteration still lacks.
std::int64_t games_missing(const RunContext& run) {
  return run.config.run.games_per_iteration -
         (run.state.last_game - run.state.games_before_iteration);
}

void show(RunContext& run, const SelfPlayCounters& since, double seconds, std::int64_t goal) {
  run.relay_warnings();
  std::string detail = describe_self_play(since, seconds);
  if (!run.window.ready()) detail = run.rows_awaited() + ", " + detail;
  run.progress(
      {RunPhase::SelfPlay, static_cast<double>(since.games), static_cast<double>(goal), detail});
}

// One phase of `games` games with a generator that lives on.
void play_phase(RunContext& run, SelfPlay& generator, std::int64_t games) {
  const SelfPlayCounters before = generator.counters();
  const auto begin = steady_clock::now();
  generator.start({games, Unfinished::Keep});
  run.stall_watch.restart();
  while (!generator.wait(kPatience)) {
    watch_workers(run, generator);
    run.absorb(run.collector.take());
    show(run, generator.counters() - before, seconds_since(begin), games);
    if (run.stopping() || minutes_are_over(run)) generator.stop(Unfinished::Keep);
  }
  run.absorb(run.collector.take());
  run.tally.counters += generator.counters() - before;
  run.tally.queue_peak = std::max(run.tally.queue_peak, generator.take_queue_peak());
  run.tally.selfplay_seconds += seconds_since(begin);
}

// One phase with a generator of its own, whose games count only if all of them were finished: what
// an interrupted run plays after a resume is then what it would have played without.
void play_whole_phase(RunContext& run, std::int64_t games) {
  const auto begin = steady_clock::now();
  const auto generator = make_self_play(run, static_cast<std::uint64_t>(run.state.last_game));
  generator->start({games, Unfinished::Finish});
  run.stall_watch.restart();
  while (!generator->wait(kPatience)) {
    watch_workers(run, *generator);
    show(run, generator->counters(), seconds_since(begin), games);
    if (run.stopping() || minutes_are_over(run)) generator->stop(Unfinished::Keep);
  }
  const std::vector<CollectedGame> finished = run.collector.take();
  run.collector.take_peak();  // all at once, not because the loop was slow
  if (static_cast<std::int64_t>(finished.size()) < games) return;
  run.absorb(finished);
  run.tally.counters += generator->counters();
  run.tally.queue_peak = std::max(run.tally.queue_peak, generator->take_queue_peak());
  run.tally.selfplay_seconds += seconds_since(begin);
}

}  // namespace

std::unique_ptr<SelfPlay> make_self_play(RunContext& run, std::uint64_t first_game) {
  const RunConfig& config = run.config;
  SelfPlaySetup setup;
  setup.settings = config.selfplay;
  setup.settings.seed = mix_bits(config.run.seed) ^ config.selfplay.seed;
  setup.rules = config.rules;
  setup.network = run.best;
  setup.make_evaluator = [inference = config.inference,
                          &warnings = run.warnings](NetworkPtr network) {
    std::string inexact;
    auto evaluator = make_network_evaluator(std::move(network), inference, &inexact);
    warnings.post(inexact);
    return evaluator;
  };
  if (config.inference.cache_entries > 0)
    setup.cache = std::make_shared<EvaluationCache>(config.inference.cache_entries);
  setup.first_game = first_game;
  if (config.run.reproducible) {
    setup.settings.workers = 1;
    setup.ordered = true;
  }
  return std::make_unique<SelfPlay>(std::move(setup), run.collector);
}

void play_iteration(RunContext& run, std::unique_ptr<SelfPlay>& generator) {
  while (!run.stopping() && (games_missing(run) > 0 || !run.window.ready())) {
    std::int64_t games = games_missing(run);
    if (games <= 0) {
      run.message(run.rows_awaited() + ": playing on");
      games = run.config.run.games_per_iteration;
    }
    if (run.config.run.reproducible) {
      play_whole_phase(run, games);
    } else {
      if (!generator) generator = make_self_play(run, run.first_game);
      play_phase(run, *generator, games);
    }
    if (minutes_are_over(run)) return;
  }
}

void watch_workers(RunContext& run, const SelfPlay& generator) {
  const std::string stalled =
      run.stall_watch.look(generator.work(), std::chrono::steady_clock::now());
  if (!stalled.empty()) run.warning(stalled);
}

std::string describe_self_play(const SelfPlayCounters& since, double seconds) {
  std::array<char, 96> text{};
  const double time = std::max(seconds, 1e-3);
  std::snprintf(text.data(), text.size(), "%s evals/s, %.1f games/s, batch fill %.0f %%",
                grouped(static_cast<std::int64_t>(static_cast<double>(since.rows) / time)).c_str(),
                static_cast<double>(since.games) / time, 100 * since.batch_fill());
  return text.data();
}

}  // namespace baghzero
