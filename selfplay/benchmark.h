// Measures how fast self-play is, and how fast its evaluator would be if nothing else had to be
// done.
#pragma once

#include <cstdint>

#include "selfplay/self_play.h"

namespace baghzero {

struct EvaluatorSpeed {
  double rows_per_second = 0;  // of all threads together
  int batch = 0;
};

// Bare evaluation of `batch` different positions again and again in `threads` threads, each with an
// evaluator of its own and as many batches in flight as that has room for. Runs for `seconds`
// after a warm-up of a fifth of that. `batch` at most the evaluator's max_batch().
EvaluatorSpeed measure_evaluator(const EvaluatorFactory& make_evaluator, const NetworkPtr& network,
                                 int threads, int batch, double seconds);

struct SelfPlaySpeed {
  double seconds = 0;         // measured, the warm-up not included
  SelfPlayCounters counters;  // of that time
  double rows_per_second() const { return static_cast<double>(counters.rows) / seconds; }
  double moves_per_second() const { return static_cast<double>(counters.moves) / seconds; }
  double simulations_per_second() const {
    return static_cast<double>(counters.simulations) / seconds;
  }
};

// Self-play whose games are thrown away. Runs for `seconds` after `warm_up_seconds`.
SelfPlaySpeed measure_self_play(const SelfPlaySetup& setup, double warm_up_seconds, double seconds);

}  // namespace baghzero
