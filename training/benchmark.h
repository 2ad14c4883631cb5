// Speed of the trainer as it works in a run: sampling, encoding, forward, backward, update,
// average.
#pragma once

#include <cstdint>

#include "nn/settings.h"
#include "selfplay/game_record.h"
#include "training/settings.h"

namespace baghzero {

// A finished game of uniformly random moves with made-up search results, a full search at every
// fourth move: rows of the right shape where nothing is to be learned.
GameRecord make_random_game(const Rules& rules, std::uint64_t seed);

struct TrainerSpeed {
  double samples_per_second = 0;
  int steps = 0;  // measured, after a warm-up
};

// Trains a random network of this shape on rows of made-up games for about `seconds`. Compare with
// the bare forward and backward pass of nn/benchmark.h at the same batch and threads.
TrainerSpeed measure_trainer(const NetworkSettings& network, const TrainingSettings& settings,
                             double seconds);

}  // namespace baghzero
