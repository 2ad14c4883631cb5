// How well a share is known: 95 % intervals.
#pragma once

#include <cstdint>

namespace baghzero {

struct ShareInterval {
  double low = 0;
  double high = 1;
};

// Wilson's score interval (Wilson 1927) for independent trials: 0..1 if there are none.
ShareInterval wilson_interval(std::int64_t hits, std::int64_t trials);

// A share whose trials come in clusters that resemble themselves, such as the moves of a game.
class ClusteredShare {
 public:
  void add(std::int64_t hits, std::int64_t trials);  // of one cluster; nothing if it has no trials
  // Wilson's interval for as many independent trials as tell equally much: the trials divided by
  // Kish's design effect, which is taken from the variance of the ratio linearised over clusters
  // (Cochran 1977, 6.4) and is never below 1. Where there is no such variance, with a single
  // cluster or a share of 0 or 1, every cluster counts as one trial.
  ShareInterval interval() const;

 private:
  double hits_ = 0;
  double trials_ = 0;
  double clusters_ = 0;
  // Sums over clusters.
  double hits_squared_ = 0;
  double hits_times_trials_ = 0;
  double trials_squared_ = 0;
};

}  // namespace baghzero
