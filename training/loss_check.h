// The losses of a network as it plays, to be held against those it has where it trains: a gap
// between the two would mean that training improves something other than the player.
#pragma once

#include <cstdint>

#include "engine/evaluation.h"
#include "training/replay_window.h"

namespace baghzero {

// Means per row that has the target.
struct PlayLoss {
  double policy = 0;
  double value = 0;
};

// Losses of `evaluator` on `rows` rows of the window drawn by `seed`.
PlayLoss evaluator_loss(Evaluator& evaluator, const ReplayWindow& window, int rows,
                        std::uint64_t seed);

}  // namespace baghzero
