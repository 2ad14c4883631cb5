#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "engine/random.h"
#include "nn/cpu_network.h"
#include "nn/device.h"
#include "nn/evaluator_parts.h"
#include "nn/frozen_network.h"
#include "nn/inference.h"
#include "nn/simd.h"

namespace baghzero {
namespace {

std::atomic<std::uint64_t> rows_evaluated{0};

class CpuEvaluator final : public Evaluator {
 public:
  CpuEvaluator(NetworkPtr network, int max_batch)
      : network_(std::move(network)),
        cpu_(weights_of(*network_).cpu_weights()),
        max_batch_(max_batch) {}

  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    cpu_.evaluate(queries, evaluations);
    check_evaluations(queries, evaluations, network_->generation());
    count_evaluated_rows(queries.size());
  }
  int max_batch() const override { return max_batch_; }

 private:
  NetworkPtr network_;
  CpuNetwork cpu_;
  int max_batch_;
};

}  // namespace

void softmax(float* logits, int count) {
  const int padded = round_up(count, kLanes);
  std::fill(logits + count, logits + padded, std::numeric_limits<float>::lowest());
  const float highest = *std::max_element(logits, logits + count);
  Vec total = {};
  for (int i = 0; i < padded; i += kLanes) {
    const Vec power = exp(load(logits + i) - highest);
    store(logits + i, power);
    total += power;
  }
  const float scale = 1 / sum(total);
  for (int i = 0; i < padded; i += kLanes) store(logits + i, load(logits + i) * scale);
}

void check_evaluations(std::span<const Query> queries, std::span<const Evaluation> evaluations,
                       int generation) {
  for (std::size_t row = 0; row < queries.size(); ++row) {
    const Evaluation& answer = evaluations[row];
    float total = answer.wdl.win + answer.wdl.draw + answer.wdl.loss;
    for (int i = 0; i < queries[row].legal.size(); ++i) total += answer.policy[i];
    if (!std::isfinite(total))
      throw std::runtime_error("The network of generation " + std::to_string(generation) +
                               " gave an answer that is not finite in row " + std::to_string(row) +
                               " of a batch of " + std::to_string(queries.size()) +
                               "; its weights are damaged or training has diverged.");
  }
}

std::vector<Query> sample_queries(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Query> queries;
  Game game;
  while (std::ssize(queries) < count) {
    if (game.over()) game = Game();
    queries.push_back(make_query(game));
    const auto choices = static_cast<unsigned>(game.legal().size());
    game.play(game.legal()[static_cast<int>(random.below(choices))]);
  }
  return queries;
}

void count_evaluated_rows(std::size_t rows) {
  rows_evaluated.fetch_add(rows, std::memory_order_relaxed);
}
std::uint64_t network_rows_evaluated() { return rows_evaluated.load(std::memory_order_relaxed); }

std::unique_ptr<Evaluator> make_network_evaluator(NetworkPtr network,
                                                  const InferenceSettings& settings,
                                                  std::string* warning) {
  std::string unheard;
  std::string& heard = warning ? *warning : unheard;
  heard.clear();
  if (settings.max_batch < 1)
    throw std::invalid_argument("inference.max_batch is " + std::to_string(settings.max_batch) +
                                "; it must be at least 1.");
  [[maybe_unused]] const Device device = find_device(settings.device);
#ifdef BAGHZERO_CUDA
  if (device.cuda) return make_cuda_evaluator(std::move(network), settings, device.index, heard);
#endif
  // On the CPU "auto" is fp32: LibTorch's bf16, even on processors with units for it, is slower
  // than this module's own fp32 code.
  if (settings.precision == Precision::Bf16)
    throw std::runtime_error(
        "inference.precision = \"bf16\" needs a CUDA device; on the CPU use \"auto\" or \"fp32\".");
  return std::make_unique<CpuEvaluator>(std::move(network), settings.max_batch);
}

std::string describe_device(const InferenceSettings& settings) {
  return describe(find_device(settings.device));
}

}  // namespace baghzero
