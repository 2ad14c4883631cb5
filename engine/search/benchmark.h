// The speed of the tree search alone: whole games with an evaluator that knows nothing.
#pragma once

#include <cstdint>

namespace baghzero {

struct SearchBenchmark {
  std::uint64_t simulations = 0;
  std::uint64_t moves = 0;
  double seconds = 0;  // processor time of the process
  // Changes whenever the search chooses differently: a hash over every move of every game.
  std::uint64_t signature = 0;

  double simulations_per_second() const {
    return seconds > 0 ? static_cast<double>(simulations) / seconds : 0;
  }
};

// Plays `games` whole games under the default rules with `visits` simulations per move, one after
// the other on the calling thread; moves are drawn by visits, so that the games differ.
SearchBenchmark run_search_benchmark(int games, int visits, std::uint64_t seed);

}  // namespace baghzero
