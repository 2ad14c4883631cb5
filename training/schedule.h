// The learning-rate schedule, and what training settings must satisfy.
#pragma once

#include <cstdint>

#include "training/settings.h"

namespace baghzero {

// Factor (0..1] on the learning rate after `samples`: linear warm-up, then half a cosine down to
// final_learning_rate_factor at `sample_budget` (0: constant after the warm-up; Loshchilov and
// Hutter, "SGDR", 2017).
double schedule_factor(const TrainingSettings& settings, std::int64_t samples,
                       std::int64_t sample_budget);

// Decay of the averaged weights at step number `step` (from 0): ema_decay, but less at first, so
// that the average forgets the initial weights.
double average_decay(const TrainingSettings& settings, std::int64_t step);

// Throws std::invalid_argument naming the key under [training] if a value makes no sense.
void check_training(const TrainingSettings& settings);

}  // namespace baghzero
