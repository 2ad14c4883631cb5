#include "nn/benchmark.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>

#include "nn/evaluator_parts.h"

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpShare = 0.1;

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
        run_evaluator(*evaluator, batch, kWarmUpShare * seconds, seed);
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

double measure_evaluator(Evaluator& evaluator, int batch, double seconds) {
  run_evaluator(evaluator, batch, kWarmUpShare * seconds, 1);
  const auto start = Clock::now();
  const std::int64_t rows = run_evaluator(evaluator, batch, seconds, 1);
  return static_cast<double>(rows) / seconds_since(start);
}

}  // namespace baghzero
