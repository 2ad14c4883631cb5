#include "selfplay/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/normal_quantile.h"

namespace baghzero {
namespace {

constexpr std::size_t kBins = std::tuple_size_v<PairCounts>;
constexpr double kEmptyBin = 1e-3;

constexpr double bin_score(std::size_t bin) {
  return static_cast<double>(bin) / static_cast<double>(kBins - 1);
}

// The likeliest distribution with mean `score`, given the shares observed, is
// shares[i] / (1 + tilt * (bin_score(i) - score)). Its tilt is the only zero of a function that
// falls from plus to minus infinity between the poles; Newton's method, kept inside a shrinking
// bracket, finds it.
double tilt_to_mean(const std::array<double, kBins>& shares, double score) {
  double low = -1 / (1 - score);
  double high = 1 / score;
  double tilt = 0;
  for (int iteration = 0; iteration < 200; ++iteration) {
    double value = 0;
    double slope = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      const double distance = bin_score(i) - score;
      const double term = distance / (1 + tilt * distance);
      value += shares[i] * term;
      slope -= shares[i] * term * term;
    }
    (value > 0 ? low : high) = tilt;
    double next = tilt - value / slope;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (std::abs(next - tilt) <= 1e-13 * std::max(1.0, std::abs(next))) break;
    tilt = next;
  }
  return tilt;
}

}  // namespace

std::int64_t pair_total(const PairCounts& counts) {
  std::int64_t total = 0;
  for (std::int64_t count : counts) total += count;
  return total;
}

double score_of(const PairCounts& counts) {
  const std::int64_t total = pair_total(counts);
  if (total == 0) return 0.5;
  double sum = 0;
  for (std::size_t i = 0; i < kBins; ++i) sum += static_cast<double>(counts[i]) * bin_score(i);
  return sum / static_cast<double>(total);
}

double elo_from_score(double score) {
  if (score <= 0) return -std::numeric_limits<double>::infinity();
  if (score >= 1) return std::numeric_limits<double>::infinity();
  return 400 * std::log10(score / (1 - score));
}

double score_from_elo(double elo) { return 1 / (1 + std::pow(10.0, -elo / 400)); }

EloEstimate estimate_elo(const PairCounts& counts) {
  const double mean = score_of(counts);
  double squares = 0.5 * mean * mean + 0.5 * (1 - mean) * (1 - mean);
  for (std::size_t i = 0; i < kBins; ++i) {
    const double distance = bin_score(i) - mean;
    squares += static_cast<double>(counts[i]) * distance * distance;
  }
  const auto observed = static_cast<double>(pair_total(counts));
  const double pairs = std::max(1.0, observed);
  const double margin = kNormal975 * std::sqrt(squares / (observed + 1) / pairs);
  const double nearest = 0.25 / (2 * pairs);
  const auto bounded_elo = [nearest](double score) {
    return elo_from_score(std::clamp(score, nearest, 1 - nearest));
  };
  return {bounded_elo(mean), bounded_elo(mean - margin), bounded_elo(mean + margin)};
}

void check_sprt(const SprtSettings& settings, std::string_view prefix) {
  const auto check = [prefix](const char* name, double value, double low, double high) {
    if (value > low && value < high) return;  // false for NaN
    throw std::invalid_argument(std::string(prefix) + name + " is " + std::to_string(value) +
                                ", but must lie between " + std::to_string(low) + " and " +
                                std::to_string(high) + ", ends excluded");
  };
  check("elo0", settings.elo0, -1000, 1000);
  check("elo1", settings.elo1, settings.elo0, 1000);
  check("alpha", settings.alpha, 0, 0.5);
  check("beta", settings.beta, 0, 0.5);
}

std::string_view to_string(SprtDecision decision) {
  switch (decision) {
    case SprtDecision::Continue:
      return "continue";
    case SprtDecision::AcceptH0:
      return "accept H0";
    case SprtDecision::AcceptH1:
      return "accept H1";
  }
  return "";
}

double sprt_llr(const PairCounts& counts, double elo0, double elo1) {
  if (pair_total(counts) == 0) return 0;
  std::array<double, kBins> weights{};
  double total = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    weights[i] = counts[i] == 0 ? kEmptyBin : static_cast<double>(counts[i]);
    total += weights[i];
  }
  std::array<double, kBins> shares = weights;
  for (double& share : shares) share /= total;
  const double score0 = score_from_elo(elo0);
  const double score1 = score_from_elo(elo1);
  const double tilt0 = tilt_to_mean(shares, score0);
  const double tilt1 = tilt_to_mean(shares, score1);
  double llr = 0;
  for (std::size_t i = 0; i < kBins; ++i)
    llr += weights[i] * (std::log1p(tilt0 * (bin_score(i) - score0)) -
                         std::log1p(tilt1 * (bin_score(i) - score1)));
  return llr;
}

SprtState sprt(const PairCounts& counts, const SprtSettings& settings) {
  check_sprt(settings);
  SprtState state;
  state.llr = sprt_llr(counts, settings.elo0, settings.elo1);
  state.lower = std::log(settings.beta / (1 - settings.alpha));
  state.upper = std::log((1 - settings.beta) / settings.alpha);
  if (state.llr >= state.upper)
    state.decision = SprtDecision::AcceptH1;
  else if (state.llr <= state.lower)
    state.decision = SprtDecision::AcceptH0;
  return state;
}

}  // namespace baghzero
