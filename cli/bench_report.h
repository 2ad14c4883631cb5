// What `baghzero bench` measures: the bare network, self-play and training on the same network with
// the same threads, and how much of the bare speed each of them keeps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/search/benchmark.h"
#include "nn/benchmark.h"
#include "selfplay/self_play.h"
#include "training/run_config.h"

namespace baghzero {

struct BenchReport {
  std::string device;
  int threads = 0;  // of self-play and of the bare evaluators

  SearchBenchmark search;  // tree search alone, one thread, no network

  std::vector<InferenceRate> inference;  // bare, one entry per batch size
  int best_batch = 0;

  // Medians over the rounds; a ratio is the median of the rounds' ratios, because the two sides of
  // a round are measured one right after the other.
  double raw_evals_per_second = 0;  // bare, at best_batch
  double selfplay_evals_per_second = 0;
  double selfplay_efficiency = 0;
  double selfplay_moves_per_second = 0;
  double selfplay_simulations_per_second = 0;
  double batch_fill = 0;       // 0..1
  double cache_hit_share = 0;  // 0..1

  int training_batch = 0;
  double raw_training_samples_per_second = 0;  // bare forward and backward pass
  double trainer_samples_per_second = 0;
  double training_efficiency = 0;
};

struct BenchSettings {
  RunConfig config;
  double seconds = 3;  // of each measurement
  int rounds = 3;
};

// Told what is measured next, and how many measurements are done of how many.
using BenchProgress = std::function<void(const std::string& what, int done, int total)>;

// The tree search by itself, always with the same games: its signature changes if and only if
// behaviour does.
SearchBenchmark measure_search();
// Runs everything.
BenchReport run_bench(const BenchSettings& settings, const BenchProgress& on_step);

// Self-play of `network` as `config` wants it, each setup with a cache of its own.
SelfPlaySetup self_play_setup(const RunConfig& config, const NetworkPtr& network);

// Of at least one value.
double median(std::vector<double> values);

std::string bench_as_text(const BenchReport& report);
std::string bench_as_json(const BenchReport& report);
// "1f2e3d4c5b6a7988".
std::string signature_text(const SearchBenchmark& search);

}  // namespace baghzero
