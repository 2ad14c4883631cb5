// Speed of the tree search alone, whole games with the uniform evaluator.
#include <benchmark/benchmark.h>

#include "engine/search/benchmark.h"

namespace {

void whole_games(benchmark::State& state) {
  std::uint64_t simulations = 0;
  std::uint64_t seed = 1;
  for (auto _ : state) {
    const auto result = baghzero::run_search_benchmark(1, static_cast<int>(state.range(0)), seed++);
    simulations += result.simulations;
  }
  state.counters["simulations"] =
      benchmark::Counter(static_cast<double>(simulations), benchmark::Counter::kIsRate);
}
BENCHMARK(whole_games)->Arg(100)->Arg(800)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
