// What tests of whole runs share.
#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "selfplay/game_file.h"
#include "training/checkpoint.h"
#include "training/run.h"
#include "training/run_context.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero::testing {

// A game of few goats and a run of few steps: seconds in all.
inline RunConfig tiny_run() {
  RunConfig config;
  config.rules.goats = 5;
  config.rules.captures_to_win = 1;
  config.rules.max_plies = 40;
  config.network.blocks = 1;
  config.network.channels = 8;
  config.network.squeeze_channels = 4;
  config.network.value_hidden = 8;
  config.inference.device = "cpu";
  config.inference.max_batch = 16;
  config.inference.cache_entries = 1'024;
  config.selfplay.workers = 1;
  config.selfplay.slots_per_worker = 8;
  config.selfplay.full_visits = 8;
  config.selfplay.cheap_visits = 4;
  config.training.device = "cpu";
  config.training.batch = 16;
  config.training.threads = 1;
  config.training.warmup_samples = 64;
  config.training.window_min_rows = 60;
  config.training.window_max_rows = 1'000;
  config.training.reuse = 1;
  config.gate.mode = GateMode::Always;
  config.gate.visits = 4;
  config.gate.max_pairs = 4;
  config.evaluation.every = 0;
  config.run.games_per_iteration = 12;
  config.run.generations = 2;
  config.run.closing_pairs = 3;
  return config;
}

// One promotion, no closing matches.
inline RunConfig one_generation_run() {
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
  return config;
}

class RecordingObserver : public RunObserver {
 public:
  void progress(const PhaseProgress& progress) override {
    if (on_progress) on_progress(progress);
  }
  void message(const std::string& text) override {
    messages.push_back(text);
    if (on_message) on_message(text);
  }
  void warning(const std::string& text) override { warnings.push_back(text); }
  void metrics(std::int64_t step, const std::map<std::string, double>& values) override {
    for (const auto& [name, value] : values) series[name].emplace_back(step, value);
  }

  std::function<void(const PhaseProgress&)> on_progress;
  std::function<void(const std::string&)> on_message;
  std::vector<std::string> messages;
  std::vector<std::string> warnings;
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> series;
};

inline const std::atomic<bool> kGoOn = false;

// Tells a run to stop at the first progress that `reached` accepts.
class StoppingObserver final : public RecordingObserver {
 public:
  explicit StoppingObserver(std::function<bool(const PhaseProgress&)> reached) {
    on_progress = [this, reached = std::move(reached)](const PhaseProgress& progress) {
      if (reached(progress)) stop = true;
    };
  }
  // At the beginning of that phase.
  explicit StoppingObserver(RunPhase phase)
      : StoppingObserver(
            [phase](const PhaseProgress& progress) { return progress.phase == phase; }) {}

  std::atomic<bool> stop = false;
};

inline RunResult run_to_end(const RunConfig& config, const std::filesystem::path& folder,
                            bool resume = false) {
  RecordingObserver observer;
  return train(config, folder, resume, "# resolved\n", observer, kGoOn);
}

inline std::vector<std::vector<std::byte>> games_of(const std::filesystem::path& folder) {
  const RunStore store(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  std::vector<std::vector<std::byte>> games;
  store.for_each_game(
      1, 0, [&](std::int64_t, const GameRecord& record) { games.push_back(encode_game(record)); });
  return games;
}

// Number of the first game that differs between two runs; 0 if none does.
inline std::size_t first_difference(const std::filesystem::path& a,
                                    const std::filesystem::path& b) {
  const auto games_a = games_of(a);
  const auto games_b = games_of(b);
  if (games_a == games_b) return 0;
  std::size_t same = 0;
  while (same < std::min(games_a.size(), games_b.size()) && games_a[same] == games_b[same]) ++same;
  return same + 1;
}

inline TrainerState final_state(const std::filesystem::path& folder) {
  return load_newest_state(folder / "state").state->trainer;
}

// With an evaluation of two pairs against each opponent after every promotion.
inline RunConfig tiny_evaluated_run() {
  RunConfig config = tiny_run();
  config.evaluation.every = 1;
  config.evaluation.pairs = 2;
  config.evaluation.visits = 2;
  config.evaluation.seconds = 1'000;
  config.run.closing_pairs = 0;
  return config;
}
inline std::vector<Player> one_opponent(std::function<std::unique_ptr<Agent>()> make_agent) {
  Player player;
  player.name = "fixed";
  player.make_agent = std::move(make_agent);
  return {player};
}
// All games of the ladder of the run.
inline std::int64_t ladder_games(const std::filesystem::path& folder, const RunConfig& config) {
  std::vector<std::string> names = {"fixed"};
  for (int i = 0; i < 4; ++i)
    names.push_back(network_player_name(folder / RunFolder::model_name(i), 2));
  const RunStore store(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  std::int64_t games = 0;
  for (const RatedGames& counts : store.ladder_games(format_rules(config.rules), names).all())
    games += counts.games();
  return games;
}

}  // namespace baghzero::testing
