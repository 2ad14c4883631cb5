#include "cli/bench_report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "engine/text.h"
#include "engine/thread_count.h"
#include "selfplay/benchmark.h"
#include "training/benchmark.h"

namespace baghzero {
namespace {

constexpr int kSearchGames = 8;
constexpr int kSearchVisits = 800;
constexpr std::uint64_t kSearchSeed = 1;
constexpr std::uint64_t kNetworkSeed = 1;
// Until games are out of step with each other, self-play is not what it is later.
constexpr double kWarmUpShare = 0.5;
constexpr std::size_t kLabelColumns = 38;

// Powers of two up to the largest batch the configuration allows, and that batch itself.
std::vector<int> batch_sizes(int max_batch) {
  std::vector<int> sizes;
  for (int batch = 1; batch < max_batch; batch *= batch < 32 ? 4 : 2) sizes.push_back(batch);
  sizes.push_back(max_batch);
  return sizes;
}

class Steps {
 public:
  Steps(int total, const BenchProgress& tell) : total_(total), tell_(tell) {}
  void begin(const std::string& what) { tell_(what, done_++, total_); }

 private:
  int total_;
  int done_ = 0;
  const BenchProgress& tell_;
};

void measure_self_play_rounds(const BenchSettings& settings, const NetworkPtr& network,
                              BenchReport& report, Steps& steps) {
  const RunConfig& config = settings.config;
  const std::array<int, 1> best = {report.best_batch};
  std::vector<double> raw;
  std::vector<double> evals;
  std::vector<double> ratios;
  SelfPlaySpeed last;
  for (int round = 0; round < settings.rounds; ++round) {
    steps.begin("bare network");
    raw.push_back(
        measure_inference(network, config.inference, best, report.threads, settings.seconds)
            .front()
            .evals_per_second);
    steps.begin("self-play");
    last = measure_self_play(self_play_setup(config, network), kWarmUpShare * settings.seconds,
                             settings.seconds);
    evals.push_back(last.rows_per_second());
    ratios.push_back(evals.back() / raw.back());
  }
  report.raw_evals_per_second = median(raw);
  report.selfplay_evals_per_second = median(evals);
  report.selfplay_efficiency = median(ratios);
  report.selfplay_moves_per_second = last.moves_per_second();
  report.selfplay_simulations_per_second = last.simulations_per_second();
  report.batch_fill = last.counters.batch_fill();
  report.cache_hit_share = last.counters.cache_hit_share();
}

void measure_training_rounds(const BenchSettings& settings, BenchReport& report, Steps& steps) {
  const RunConfig& config = settings.config;
  const TrainingSettings& training = config.training;
  std::vector<double> raw;
  std::vector<double> trainer;
  std::vector<double> ratios;
  for (int round = 0; round < settings.rounds; ++round) {
    steps.begin("bare forward and backward pass");
    raw.push_back(measure_bare_training(config.network, training, settings.seconds));
    steps.begin("trainer");
    trainer.push_back(
        measure_trainer(config.network, training, settings.seconds).samples_per_second);
    ratios.push_back(trainer.back() / raw.back());
  }
  report.training_batch = training.batch;
  report.raw_training_samples_per_second = median(raw);
  report.trainer_samples_per_second = median(trainer);
  report.training_efficiency = median(ratios);
}

std::string ratio_text(double ratio) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", ratio);
  return text.data();
}

}  // namespace

SelfPlaySetup self_play_setup(const RunConfig& config, const NetworkPtr& network) {
  SelfPlaySetup setup;
  setup.settings = config.selfplay;
  setup.rules = config.rules;
  setup.network = network;
  setup.make_evaluator = [settings = config.inference](NetworkPtr current) {
    return make_network_evaluator(std::move(current), settings);
  };
  if (config.inference.cache_entries > 0)
    setup.cache = std::make_shared<EvaluationCache>(config.inference.cache_entries);
  return setup;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

SearchBenchmark measure_search() {
  return run_search_benchmark(kSearchGames, kSearchVisits, kSearchSeed);
}

BenchReport run_bench(const BenchSettings& settings, const BenchProgress& on_step) {
  const RunConfig& config = settings.config;
  BenchReport report;
  report.device = describe_device(config.inference);
  report.threads = thread_count(config.selfplay.workers);
  const auto batches = batch_sizes(config.inference.max_batch);
  Steps steps(2 + 4 * settings.rounds, on_step);

  steps.begin("tree search alone");
  report.search = measure_search();
  steps.begin("bare network by batch size");
  const NetworkPtr network = make_random_network(config.network, kNetworkSeed);
  // Enough to find the best batch size, which the rounds then measure at length.
  report.inference = measure_inference(network, config.inference, batches, report.threads,
                                       std::max(0.3, settings.seconds / 3));
  report.best_batch = std::max_element(report.inference.begin(), report.inference.end(),
                                       [](const InferenceRate& a, const InferenceRate& b) {
                                         return a.evals_per_second < b.evals_per_second;
                                       })
                          ->batch;
  measure_self_play_rounds(settings, network, report, steps);
  measure_training_rounds(settings, report, steps);
  return report;
}

std::string signature_text(const SearchBenchmark& search) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(search.signature));
  return text.data();
}

std::string bench_as_text(const BenchReport& report) {
  std::string text;
  const auto row = [&text](const std::string& name, const std::string& value) {
    std::string label = name;
    label.resize(kLabelColumns, ' ');
    text.append("  ").append(label).append(value).append("\n");
  };
  text.append("Tree search alone, 1 thread, no network\n");
  row("simulations/s", short_number(report.search.simulations_per_second()));
  row("signature", signature_text(report.search));
  text.append("\nNetwork on ").append(report.device).append(", ");
  text.append(counted(report.threads, "thread")).append("\n");
  for (const InferenceRate& rate : report.inference)
    row("evals/s at batch " + std::to_string(rate.batch), short_number(rate.evals_per_second));
  text.append("\nSelf-play on the same network and threads\n");
  row("bare evals/s at batch " + std::to_string(report.best_batch),
      short_number(report.raw_evals_per_second));
  row("self-play network evals/s", short_number(report.selfplay_evals_per_second));
  row("self-play efficiency", ratio_text(report.selfplay_efficiency));
  row("moves/s", short_number(report.selfplay_moves_per_second));
  row("simulations/s", short_number(report.selfplay_simulations_per_second));
  row("batch fill", percent(report.batch_fill));
  row("answered by the cache", percent(report.cache_hit_share));
  text.append("\nTraining at batch ").append(std::to_string(report.training_batch)).append("\n");
  row("bare forward and backward samples/s", short_number(report.raw_training_samples_per_second));
  row("trainer samples/s", short_number(report.trainer_samples_per_second));
  row("training efficiency", ratio_text(report.training_efficiency));
  return text;
}

std::string bench_as_json(const BenchReport& report) {
  nlohmann::ordered_json inference = nlohmann::ordered_json::array();
  for (const InferenceRate& rate : report.inference)
    inference.push_back({{"batch", rate.batch},
                         {"evals_per_second", rate.evals_per_second},
                         {"evals_per_cpu_second", rate.evals_per_cpu_second}});
  const nlohmann::ordered_json result = {
      {"device", report.device},
      {"threads", report.threads},
      {"search",
       {{"simulations_per_second", report.search.simulations_per_second()},
        {"simulations", report.search.simulations},
        {"signature", signature_text(report.search)}}},
      {"inference", inference},
      {"selfplay",
       {{"best_batch", report.best_batch},
        {"raw_evals_per_second", report.raw_evals_per_second},
        {"evals_per_second", report.selfplay_evals_per_second},
        {"efficiency", report.selfplay_efficiency},
        {"moves_per_second", report.selfplay_moves_per_second},
        {"simulations_per_second", report.selfplay_simulations_per_second},
        {"batch_fill", report.batch_fill},
        {"cache_hit_share", report.cache_hit_share}}},
      {"training",
       {{"batch", report.training_batch},
        {"raw_samples_per_second", report.raw_training_samples_per_second},
        {"samples_per_second", report.trainer_samples_per_second},
        {"efficiency", report.training_efficiency}}}};
  return result.dump(2) + "\n";
}

}  // namespace baghzero
