#include "engine/search/root_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

#include "engine/board.h"

namespace baghzero::search_detail {
namespace {

// In (0, 1): safe to take a logarithm of.
double open_uniform(Random& random) {
  double u = random.uniform();
  while (u == 0) u = random.uniform();
  return u;
}

// Box and Muller's transform; its second sample is dropped to keep the stream without state.
double sample_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(open_uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace

void flatten_policy(std::span<float> prior, float temperature) {
  if (temperature == 1 || prior.empty()) return;
  const float largest = *std::ranges::max_element(prior);
  if (largest <= 0) return;
  float sum = 0;
  for (float& p : prior) sum += p = std::pow(p / largest, 1 / temperature);
  for (float& p : prior) p /= sum;
}

void shaped_alphas(std::span<const float> prior, float total, std::span<float> alphas) {
  const auto count = static_cast<float>(prior.size());
  const float cap = std::min(1.0F, 4 / count);
  constexpr float kTiny = 1e-20F;
  for (std::size_t i = 0; i < prior.size(); ++i)
    alphas[i] = std::log(std::min(cap, prior[i]) + kTiny);
  const float mean = std::accumulate(alphas.begin(), alphas.end(), 0.0F) / count;
  float above = 0;
  for (float& alpha : alphas) above += alpha = std::max(0.0F, alpha - mean);
  for (float& alpha : alphas) {
    const float even = 1 / count;
    const float shaped = above > 0 ? alpha / above : even;
    alpha = total * 0.5F * (even + shaped);
  }
}

void add_dirichlet_noise(std::span<float> prior, float weight, float total, Random& random) {
  std::array<float, kMaxLegalActions> alphas;
  std::array<double, kMaxLegalActions> noise;
  shaped_alphas(prior, total, std::span(alphas).first(prior.size()));
  double sum = 0;
  for (std::size_t i = 0; i < prior.size(); ++i)
    sum += noise[i] = sample_gamma(double{alphas[i]}, random);
  if (sum <= 0) return;  // every sample rounded to zero: only with absurdly small parameters
  for (std::size_t i = 0; i < prior.size(); ++i)
    prior[i] = (1 - weight) * prior[i] + weight * static_cast<float>(noise[i] / sum);
}

double sample_gamma(double shape, Random& random) {
  if (shape < 1) {
    const double boost = std::pow(open_uniform(random), 1 / shape);
    return sample_gamma(shape + 1, random) * boost;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = sample_normal(random);
    const double v = 1 + c * x;
    if (v <= 0) continue;
    const double cube = v * v * v;
    const double u = open_uniform(random);
    if (std::log(u) < 0.5 * x * x + d - d * cube + d * std::log(cube)) return d * cube;
  }
}

double sample_gumbel(Random& random) { return -std::log(-std::log(open_uniform(random))); }

}  // namespace baghzero::search_detail
