#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include <ATen/ATen.h>

#ifdef BAGHZERO_CUDA
#include <c10/cuda/CUDAFunctions.h>
#endif

#include "engine/thread_count.h"
#include "nn/network.h"
#include "training/batch.h"
#include "training/benchmark.h"
#include "training/losses.h"
#include "training/shard_pool.h"

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpShare = 0.1;
constexpr std::uint64_t kSeed = 1;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void synchronize([[maybe_unused]] const at::Device& device) {
#ifdef BAGHZERO_CUDA
  if (device.is_cuda()) c10::cuda::device_synchronize();
#endif
}

std::vector<float> prepared_batch(const TrainingSettings& settings) {
  const ReplayWindow window = made_up_window(settings);
  Random random(kSeed);
  std::vector<RowChoice> choices(static_cast<std::size_t>(settings.batch));
  window.sample(random, choices);
  std::vector<float> floats(batch_floats(choices.size()));
  fill_batch(window, choices, floats);
  return floats;
}

// With `shards` replicas, each on a thread of its own that has `threads` threads for one operation.
double measure(const NetworkSettings& shape, const TrainingSettings& settings,
               std::vector<float>& host, int shards, int threads, double seconds) {
  const IntraOpThreads guard(threads);
  const at::Device device = torch_device(settings.device);
  const NetworkPtr start = make_random_network(shape, kSeed);
  std::vector<Network> replicas;
  for (int i = 0; i < shards; ++i) replicas.emplace_back(*start, device);
  const at::Tensor floats =
      at::from_blob(host.data(), {static_cast<std::int64_t>(host.size())}, at::kFloat).to(device);
  const LossDivisors divisors = loss_divisors(host, settings.batch);
  ShardPool pool(shards);
  const auto pass = [&](int shard) {
    const Network& network = replicas[static_cast<std::size_t>(shard)];
    const int first = settings.batch * shard / shards;
    const int end = settings.batch * (shard + 1) / shards;
    const BatchTensors batch(floats, settings.batch, first, end - first);
    all_losses(network.forward(batch[BatchSection::Planes]), batch, divisors, settings)[kTotalLoss]
        .backward();
    for (const NetworkParameter& parameter : network.parameters())
      parameter.value.mutable_grad().reset();
  };
  const auto passes_for = [&](double duration) {
    const auto begin = Clock::now();
    std::int64_t passes = 0;
    for (; passes == 0 || seconds_since(begin) < duration; ++passes) pool.run(pass);
    synchronize(device);
    return static_cast<double>(passes) / seconds_since(begin);
  };
  passes_for(kWarmUpShare * seconds);
  return passes_for(seconds) * settings.batch;
}

}  // namespace

double measure_bare_training(const NetworkSettings& network, const TrainingSettings& settings,
                             double seconds) {
  std::vector<float> batch = prepared_batch(settings);
  const int threads = thread_count(settings.threads);
  const double together = measure(network, settings, batch, 1, threads, seconds);
  if (threads == 1 || torch_device(settings.device).is_cuda()) return together;
  const int shards = std::min(threads, settings.batch);
  return std::max(together, measure(network, settings, batch, shards, 1, seconds));
}

}  // namespace baghzero
