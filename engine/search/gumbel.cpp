#include "engine/search/gumbel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "engine/search/node.h"

namespace baghzero::search_detail {

void SequentialHalving::begin(int actions, std::uint32_t simulations) {
  phases_ = std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(actions - 1))));
  simulations_ = simulations;
  considered_ = actions;
  level_ = 0;
  begin_phase();
}

void SequentialHalving::begin_phase() {
  left_at_level_ = considered_;
  const auto share = static_cast<std::uint32_t>(phases_ * considered_);
  levels_left_ = std::max(1U, simulations_ / share);
}

void SequentialHalving::count_visit() {
  if (--left_at_level_ <= 0) end_level();
}

void SequentialHalving::end_level() {
  ++level_;
  left_at_level_ = considered_;
  if (--levels_left_ > 0) return;
  considered_ = considered_ <= 1 ? 1 : std::max(2, considered_ / 2);
  begin_phase();
}

float mixed_value(float evaluation, std::span<const float> prior, std::span<const float> visits,
                  std::span<const float> value) {
  float total_visits = 0;
  float visited_prior = 0;
  float weighted_value = 0;
  for (std::size_t i = 0; i < prior.size(); ++i) {
    if (visits[i] <= 0 || is_refuted(value[i])) continue;
    const float weight = std::max(prior[i], std::numeric_limits<float>::min());
    total_visits += visits[i];
    visited_prior += weight;
    weighted_value += weight * value[i];
  }
  if (total_visits <= 0) return evaluation;
  return (evaluation + total_visits * weighted_value / visited_prior) / (1 + total_visits);
}

float sigma_factor(std::span<const float> visits, float c_visit, float c_scale) {
  float most = 0;
  for (float n : visits) most = std::max(most, n);
  return (c_visit + most) * c_scale;
}

void improved_policy(float evaluation, float c_visit, float c_scale, std::span<const float> prior,
                     std::span<const float> visits, std::span<const float> value,
                     std::span<float> policy) {
  const float factor = sigma_factor(visits, c_visit, c_scale);
  const float unvisited = mixed_value(evaluation, prior, visits, value);
  float highest = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < prior.size(); ++i) {
    policy[i] = visits[i] > 0 ? value[i] : unvisited;
    if (prior[i] > 0) highest = std::max(highest, policy[i]);
  }
  float sum = 0;
  for (std::size_t i = 0; i < prior.size(); ++i) {
    policy[i] = is_refuted(policy[i]) || prior[i] <= 0
                    ? 0
                    : prior[i] * std::exp(factor * (policy[i] - highest));
    sum += policy[i];
  }
  if (sum <= 0) return;
  for (float& p : policy) p /= sum;
}

int select_by_improved_policy(float evaluation, float c_visit, float c_scale,
                              std::span<const float> prior, std::span<const float> visits,
                              std::span<const float> value) {
  std::array<float, kMaxLegalActions> buffer;
  const std::span<float> policy = std::span(buffer).first(prior.size());
  improved_policy(evaluation, c_visit, c_scale, prior, visits, value, policy);
  float total = 0;
  for (float n : visits) total += n;
  int best = -1;
  float highest = 0;
  for (std::size_t i = 0; i < prior.size(); ++i) {
    if (is_refuted(value[i])) continue;
    const float excess = policy[i] - visits[i] / (1 + total);
    if (best < 0 || excess > highest) {
      highest = excess;
      best = static_cast<int>(i);
    }
  }
  return best < 0 ? 0 : best;
}

}  // namespace baghzero::search_detail
