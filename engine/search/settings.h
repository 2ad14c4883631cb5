// Parameters of the tree search.
#pragma once

#include <cstdint>

namespace baghzero {

enum class SearchMode : std::uint8_t {
  SelfPlay,  // root noise, forced playouts, target pruning
  Match,     // deterministic but for the seed; no noise
  Engine,    // as Match, made for analysis: the tree is kept between moves
};

enum class RootPolicy : std::uint8_t {
  Puct,    // visits by PUCT; the played move by visit count
  Gumbel,  // sequential halving over Gumbel-sampled actions, completed Q (Danihelka et al. 2022)
};

// Defaults after KataGo and lc0, to be measured here. Values are in the win/draw/loss scale -1..1.
struct SearchSettings {
  RootPolicy root_policy = RootPolicy::Puct;
  // Exploration constant c(N) = cpuct + cpuct_factor * log((N + cpuct_base) / cpuct_base).
  float cpuct = 1.1F;
  float cpuct_factor = 0.45F;
  float cpuct_base = 500.0F;
  // First-play urgency: an unvisited child is worth the parent's value minus
  // fpu_reduction * sqrt(policy mass already visited).
  float fpu_reduction = 0.2F;
  float root_fpu_reduction = 0.1F;

  // Root noise, SelfPlay only: priors become (1 - w) * prior + w * Dirichlet(alpha), where half of
  // alpha's total is spread evenly and half follows the prior's shape (KataGo, "shaped Dirichlet").
  float noise_weight = 0.25F;
  float noise_alpha_total = 10.83F;
  float root_policy_temperature = 1.1F;

  // SelfPlay with Puct: child i is visited at least sqrt(k * prior * N) times (KataGo, 2019, 3.2).
  float forced_playouts = 2.0F;

  // Gumbel root.
  int gumbel_actions = 16;  // actions considered at the root
  float gumbel_c_visit = 50.0F;
  float gumbel_c_scale = 1.0F;

  // Hard cap of nodes per tree; a search that reaches it ends early.
  std::uint32_t max_nodes = 1U << 20;
};

}  // namespace baghzero
