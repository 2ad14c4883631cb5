// What tests of whole runs share.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "training/run.h"

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

class RecordingObserver final : public RunObserver {
 public:
  void progress(const PhaseProgress& progress) override {
    if (on_progress) on_progress(progress);
  }
  void message(const std::string& text) override { messages.push_back(text); }
  void warning(const std::string& text) override { warnings.push_back(text); }
  void metrics(std::int64_t step, const std::map<std::string, double>& values) override {
    for (const auto& [name, value] : values) series[name].emplace_back(step, value);
  }

  std::function<void(const PhaseProgress&)> on_progress;
  std::vector<std::string> messages;
  std::vector<std::string> warnings;
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> series;
};

inline const std::atomic<bool> kGoOn = false;

}  // namespace baghzero::testing
