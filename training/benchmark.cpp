#include "training/benchmark.h"

#include <chrono>
#include <vector>

#include "engine/random.h"
#include "training/trainer.h"

namespace baghzero {
namespace {

constexpr std::int64_t kBenchmarkRows = 20'000;
constexpr int kWarmUpSteps = 3;
constexpr int kStepsPerCall = 8;  // as a run calls the trainer

MoveRecord make_move(const ActionList& legal, bool full_search, Random& random) {
  MoveRecord move;
  move.action = legal[static_cast<int>(random.below(static_cast<std::uint32_t>(legal.size())))];
  move.searched = true;
  move.full_search = full_search;
  move.visits = 100;
  const auto win = static_cast<float>(random.uniform());
  move.root_wdl = {win, (1 - win) / 2, (1 - win) / 2};
  if (!full_search) return move;
  float sum = 0;
  for (const Action action : legal) {
    move.policy.push_back({action, static_cast<float>(random.uniform()) + 0.01F});
    sum += move.policy.back().share;
  }
  for (PolicyShare& share : move.policy) share.share /= sum;
  return move;
}

}  // namespace

GameRecord make_random_game(const Rules& rules, std::uint64_t seed) {
  Random random(seed);
  GameRecord record;
  record.seed = seed;
  record.rules = rules;
  Game game(rules);
  record.start = game.start();
  while (!game.over()) {
    record.moves.push_back(make_move(game.legal(), game.plies() % 4 == 0, random));
    game.play(record.moves.back().action);
  }
  record.outcome = game.outcome();
  record.termination = game.termination();
  return record;
}

ReplayWindow made_up_window(const TrainingSettings& settings) {
  TrainingSettings measured = settings;
  measured.window_min_rows = kBenchmarkRows;
  measured.window_max_rows = kBenchmarkRows;
  ReplayWindow window(measured);
  std::vector<TrainingRow> rows;
  for (std::uint64_t seed = 1; window.total() < kBenchmarkRows; ++seed) {
    rows.clear();
    append_rows(make_random_game({}, seed), measured.value_search_share, rows);
    window.add(rows);
  }
  return window;
}

TrainerSpeed measure_trainer(const NetworkSettings& network, const TrainingSettings& settings,
                             double seconds) {
  const ReplayWindow window = made_up_window(settings);
  Trainer trainer(network, settings, 0, 1);
  const std::atomic<bool> stop = false;
  trainer.train(window, kWarmUpSteps, stop);
  const auto begin = std::chrono::steady_clock::now();
  TrainerSpeed speed;
  double elapsed = 0;
  while (elapsed < seconds) {
    speed.steps += trainer.train(window, kStepsPerCall, stop).steps;
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  speed.samples_per_second = static_cast<double>(speed.steps) * settings.batch / elapsed;
  return speed;
}

}  // namespace baghzero
