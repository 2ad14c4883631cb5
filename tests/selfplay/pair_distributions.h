// Made-up matches of known strength: distributions of pairs over the five bins of PairCounts.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "engine/random.h"
#include "selfplay/statistics.h"

namespace baghzero::test {

using Distribution = std::array<double, 5>;

inline double mean_of(const Distribution& distribution) {
  double mean = 0;
  for (std::size_t i = 0; i < 5; ++i) mean += distribution[i] * static_cast<double>(i) / 4;
  return mean;
}

// `base` tilted exponentially until its mean is the score of `elo`: a match of known strength.
inline Distribution tilted(const Distribution& base, double elo) {
  double low = -50;
  double high = 50;
  Distribution result = base;
  for (int step = 0; step < 100; ++step) {
    const double tilt = (low + high) / 2;
    double total = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      result[i] = base[i] * std::exp(tilt * static_cast<double>(i) / 4);
      total += result[i];
    }
    for (double& share : result) share /= total;
    (mean_of(result) < score_from_elo(elo) ? low : high) = tilt;
  }
  return result;
}

inline std::size_t draw_bin(const Distribution& distribution, Random& random) {
  double left = random.uniform();
  for (std::size_t i = 0; i < 4; ++i) {
    left -= distribution[i];
    if (left < 0) return i;
  }
  return 4;
}

// Pairs as one meets them: games with many draws, with some, and without any (pairs of 0, 1 and 2
// points), where the role decides more than the player.
inline constexpr Distribution kDrawish = {0.02, 0.13, 0.70, 0.13, 0.02};
inline constexpr Distribution kMixed = {0.10, 0.20, 0.40, 0.20, 0.10};
inline constexpr Distribution kDecisive = {0.20, 0.0, 0.60, 0.0, 0.20};
inline constexpr Distribution kSkewed = {0.05, 0.30, 0.30, 0.05, 0.30};

}  // namespace baghzero::test
