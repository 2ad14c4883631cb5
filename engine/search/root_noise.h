// Exploration noise at the root of self-play searches.
#pragma once

#include <span>

#include "engine/random.h"

namespace baghzero::search_detail {

// prior^(1/temperature), renormalised in place. temperature > 0.
void flatten_policy(std::span<float> prior, float temperature);

// Parameters of the shaped Dirichlet noise, summing to `total`: half is spread evenly, half goes to
// the actions whose log prior lies above the mean, in proportion to how far. (KataGo's
// documentation of its methods; its cap of the prior at 0.01 is 4 / count here, the same for a
// 19x19 board.)
void shaped_alphas(std::span<const float> prior, float total, std::span<float> alphas);

// prior := (1 - weight) * prior + weight * Dirichlet(shaped_alphas(prior, total)).
void add_dirichlet_noise(std::span<float> prior, float weight, float total, Random& random);

// A sample of the gamma distribution with scale 1 (Marsaglia and Tsang 2000). shape > 0.
double sample_gamma(double shape, Random& random);
// A sample of the standard Gumbel distribution.
double sample_gumbel(Random& random);

}  // namespace baghzero::search_detail
