// Parameters of the tree search.
#pragma once

#include <cstdint>
#include <memory>

namespace baghzero {

class MovementTable;

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

  // Root noise, exploring SelfPlay searches with Puct only: priors are flattened by the root policy
  // temperature and become (1 - w) * prior + w * Dirichlet(alpha), where half of alpha's total is
  // spread evenly and half follows the prior's shape (KataGo, "shaped Dirichlet").
  float noise_weight = 0.25F;
  float noise_alpha_total = 10.83F;
  float root_policy_temperature = 1.1F;

  // The same searches: a visited root move gets at least sqrt(k * prior * N) visits (KataGo, 2019,
  // 3.2). 0 switches it off.
  float forced_playouts = 2.0F;

  // Gumbel root; sigma(q) = (c_visit + max_b N(b)) * c_scale * q with q in -1..1.
  int gumbel_actions = 16;  // actions considered at the root
  float gumbel_c_visit = 50.0F;
  float gumbel_c_scale = 1.0F;

  // Hard cap of nodes per tree; a search that reaches it ends early. Memory is taken for the visits
  // asked for, so a large cap costs nothing by itself.
  std::uint32_t max_nodes = 1U << 20;

  // Leaves in the movement phase take their exact value, as a proof, from `solved`, as far as it
  // holds (value_in_game()); a won root plays the shortest way. In games that are solved only.
  bool solver = false;
  std::shared_ptr<const MovementTable> solved = nullptr;

  friend bool operator==(const SearchSettings&, const SearchSettings&) = default;
};

// Throws std::invalid_argument with a sentence that names the setting if a value makes no sense.
void check_search_settings(const SearchSettings& settings);

}  // namespace baghzero
