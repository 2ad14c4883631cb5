// How self-play games are generated.
#pragma once

#include <cstdint>

#include "engine/search/settings.h"

namespace baghzero {

// Whose verdict ends a game before the rules do.
enum class Adjudicate : std::uint8_t { None, Solver };

struct SelfPlaySettings {
  int workers = 0;  // threads; 0: one per core
  // Games a worker advances side by side. Best are batches in flight (1 on the CPU, 2 on CUDA)
  // times inference.max_batch: fewer leave rows of a batch empty, more only wait and fill caches.
  int slots_per_worker = 128;
  SearchSettings search;

  // Playout-cap randomisation (KataGo, 2019, 3.1): a move gets a full search with probability
  // full_search_share, else a cheap one whose policy is not trained on.
  int full_visits = 200;
  int cheap_visits = 40;
  double full_search_share = 0.25;

  // Temperature decays from start to end, halving every `temperature_halflife` plies.
  double temperature_start = 1.0;
  double temperature_end = 0.15;
  double temperature_halflife = 15;

  // Opening variety: each game begins with a random number of plies, geometric with this mean,
  // drawn from the network's policy (flattened) or uniformly (a share of random_opening_share).
  double opening_plies_mean = 3;
  double random_opening_share = 0.25;
  // Share of games that start from a random movement-phase or late placement position instead.
  double late_start_share = 0.1;

  // Solver: a game that reaches the movement phase ends as soon as its result is known from
  // search.solved, as far as that holds (value_in_game()).
  Adjudicate adjudicate = Adjudicate::None;

  std::uint64_t seed = 1;
};

// Throws std::invalid_argument with a sentence that names the setting if a value makes no sense.
void check_self_play_settings(const SelfPlaySettings& settings);

}  // namespace baghzero
