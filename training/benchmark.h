// Speed of training: the trainer as it works in a run (sampling, encoding, forward, backward,
// update, average), and the bare passes through the network that it is measured against.
#pragma once

#include <cstdint>

#include "nn/settings.h"
#include "selfplay/game_record.h"
#include "training/replay_window.h"
#include "training/settings.h"

namespace baghzero {

// A finished game of uniformly random moves with made-up search results, a full search at every
// fourth move: rows of the right shape where nothing is to be learned.
GameRecord make_random_game(const Rules& rules, std::uint64_t seed);

// A window of rows of such games.
ReplayWindow made_up_window(const TrainingSettings& settings);

struct TrainerSpeed {
  double samples_per_second = 0;
  int steps = 0;  // measured, after a warm-up
};

// Trains a random network of this shape on rows of made-up games for about `seconds`.
TrainerSpeed measure_trainer(const NetworkSettings& network, const TrainingSettings& settings,
                             double seconds);

// Rows per second of forward and backward passes alone: the trainer's network, batch, losses and
// threads, but no sampling, encoding or optimizer. On a CPU the better of two ways to use the
// threads: all of them in every operation of one network, or a replica with a part of the batch on
// each, as the trainer does; each is measured for about `seconds`. Throws std::runtime_error if the
// device does not exist.
double measure_bare_training(const NetworkSettings& network, const TrainingSettings& settings,
                             double seconds);

}  // namespace baghzero
