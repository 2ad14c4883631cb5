#include "engine/solver/share_interval.h"

#include <algorithm>
#include <cmath>

#include "engine/normal_quantile.h"

namespace baghzero {
namespace {

ShareInterval wilson(double share, double trials) {
  constexpr double kZ = kNormal975;
  const double scale = 1 + kZ * kZ / trials;
  const double centre = (share + kZ * kZ / (2 * trials)) / scale;
  const double half =
      kZ * std::sqrt(share * (1 - share) / trials + kZ * kZ / (4 * trials * trials)) / scale;
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace

ShareInterval wilson_interval(std::int64_t hits, std::int64_t trials) {
  if (trials == 0) return {};
  return wilson(static_cast<double>(hits) / static_cast<double>(trials),
                static_cast<double>(trials));
}

void ClusteredShare::add(std::int64_t hits, std::int64_t trials) {
  if (trials == 0) return;
  const auto h = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  hits_ += h;
  trials_ += n;
  ++clusters_;
  hits_squared_ += h * h;
  hits_times_trials_ += h * n;
  trials_squared_ += n * n;
}

ShareInterval ClusteredShare::interval() const {
  if (clusters_ == 0) return {};
  const double share = hits_ / trials_;
  const double binomial = share * (1 - share) / trials_;
  if (clusters_ < 2 || binomial <= 0) return wilson(share, clusters_);
  const double residuals =
      hits_squared_ - 2 * share * hits_times_trials_ + share * share * trials_squared_;
  const double variance = clusters_ / (clusters_ - 1) * residuals / (trials_ * trials_);
  return wilson(share, trials_ / std::max(1.0, variance / binomial));
}

}  // namespace baghzero
