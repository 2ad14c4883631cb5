#include "nn/benchmark.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#ifdef BAGHZERO_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include "nn/device.h"
#include "nn/encoding.h"
#include "nn/evaluator_parts.h"
#include "nn/network.h"

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Evaluates for about `seconds` and returns the rows done; keeps every slot of the evaluator busy.
std::int64_t run_evaluator(Evaluator& evaluator, int batch, double seconds, std::uint64_t seed) {
  const int slots = evaluator.in_flight();
  const std::vector<Query> queries = sample_queries(batch * slots, seed);
  std::vector<Evaluation> answers(queries.size());
  std::int64_t rows = 0;
  const auto submit = [&](int slot) {
    const auto begin = static_cast<std::size_t>(slot * batch);
    const auto size = static_cast<std::size_t>(batch);
    evaluator.submit(slot, std::span(queries).subspan(begin, size),
                     std::span(answers).subspan(begin, size));
  };
  const auto start = Clock::now();
  for (int slot = 0; slot < slots; ++slot) submit(slot);
  for (int slot = 0; seconds_since(start) < seconds; slot = (slot + 1) % slots) {
    evaluator.wait(slot);
    rows += batch;
    submit(slot);
  }
  for (int slot = 0; slot < slots; ++slot) evaluator.wait(slot);
  return rows + std::int64_t{slots} * batch;
}

void synchronize([[maybe_unused]] const torch::Device& device) {
#ifdef BAGHZERO_CUDA
  if (device.is_cuda()) c10::cuda::device_synchronize();
#endif
}

}  // namespace

std::vector<InferenceRate> measure_inference(const NetworkPtr& network,
                                             const InferenceSettings& settings,
                                             std::span<const int> batches, int replicas,
                                             double seconds) {
  std::vector<InferenceRate> rates;
  for (const int batch : batches) {
    InferenceSettings sized = settings;
    sized.max_batch = batch;
    std::barrier ready(replicas);
    std::mutex mutex;
    InferenceRate rate{.batch = batch};
    std::exception_ptr failure;
    const auto work = [&](int replica) {
      try {
        const auto evaluator = make_network_evaluator(network, sized);
        const auto seed = static_cast<std::uint64_t>(replica);
        run_evaluator(*evaluator, batch, 0.1 * seconds, seed);  // warm-up
        ready.arrive_and_wait();
        const auto start = Clock::now();
        const double cpu_start = thread_cpu_seconds();
        const auto rows = static_cast<double>(run_evaluator(*evaluator, batch, seconds, seed));
        const double cpu = thread_cpu_seconds() - cpu_start;
        const double wall = seconds_since(start);
        const std::lock_guard lock(mutex);
        rate.evals_per_second += rows / wall;
        rate.evals_per_cpu_second += rows / cpu / replicas;
      } catch (...) {
        ready.arrive_and_drop();
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    };
    std::vector<std::jthread> threads;
    for (int replica = 0; replica < replicas; ++replica) threads.emplace_back(work, replica);
    threads.clear();
    if (failure) std::rethrow_exception(failure);
    rates.push_back(rate);
  }
  return rates;
}

double measure_training(const NetworkSettings& settings, const std::string& device_name, int batch,
                        int threads, double seconds) {
  const torch::Device device = torch_device(device_name);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const IntraOpThreads guard(threads > 0 ? threads : cores);
  const Network network(*make_random_network(settings, 1), device);
  const std::vector<Query> queries = sample_queries(batch, 1);
  at::Tensor planes = torch::empty({batch, kPointCount, kInputPlanes}, at::kFloat);
  for (int row = 0; row < batch; ++row)
    encode(queries[row],
           std::span<float, kInputSize>(planes.data_ptr<float>() + row * kInputSize, kInputSize));
  planes = planes.to(device);
  const auto step = [&] {
    const HeadOutputs heads = network.forward(planes);
    at::Tensor loss = heads.plies_left.square().mean();
    for (const at::Tensor* logits :
         {&heads.policy, &heads.value, &heads.captures, &heads.occupancy, &heads.reply_policy})
      loss = loss - logits->log_softmax(-1).mean();
    loss.backward();
    for (const NetworkParameter& parameter : network.parameters())
      parameter.value.mutable_grad().reset();
  };
  const auto warm_up = Clock::now();
  while (seconds_since(warm_up) < 0.1 * seconds) step();
  synchronize(device);
  const auto start = Clock::now();
  std::int64_t rows = 0;
  while (seconds_since(start) < seconds) {
    step();
    rows += batch;
  }
  synchronize(device);
  return static_cast<double>(rows) / seconds_since(start);
}

}  // namespace baghzero
