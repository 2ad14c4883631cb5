// Measures how fast self-play is. How fast its evaluators could be is measured in nn/benchmark.h.
#pragma once

#include "selfplay/self_play.h"

namespace baghzero {

struct SelfPlaySpeed {
  double seconds = 0;         // measured, the warm-up not included
  SelfPlayCounters counters;  // of that time
  // Positions that networks computed: neither cache hits nor padding of a batch.
  double rows_per_second() const { return static_cast<double>(counters.rows) / seconds; }
  double moves_per_second() const { return static_cast<double>(counters.moves) / seconds; }
  double simulations_per_second() const {
    return static_cast<double>(counters.simulations) / seconds;
  }
};

// Self-play whose games are thrown away. Runs for `seconds` after `warm_up_seconds`.
SelfPlaySpeed measure_self_play(const SelfPlaySetup& setup, double warm_up_seconds, double seconds);

}  // namespace baghzero
