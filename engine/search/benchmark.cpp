#include "engine/search/benchmark.h"

#include <ctime>

#include "engine/search/search.h"

namespace baghzero {

SearchBenchmark run_search_benchmark(int games, int visits, std::uint64_t seed) {
  SearchBenchmark result;
  Search search({}, SearchMode::Match);
  UniformEvaluator evaluator;
  const SearchLimits limits{.visits = static_cast<std::uint32_t>(visits)};
  const std::clock_t begin = std::clock();
  for (int index = 0; index < games; ++index) {
    Random random(seed, static_cast<std::uint64_t>(index));
    Game game;
    while (!game.over()) {
      search.begin(game, limits, random());
      search.run(evaluator);
      const Action action = search.sample_action(1, random);
      game.play(action);
      result.simulations += search.visits();
      ++result.moves;
      result.signature = mix_bits(result.signature ^ action);
    }
  }
  result.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return result;
}

}  // namespace baghzero
