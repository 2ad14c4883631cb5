// Games between two players, many side by side, with batches formed across games.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/agents/agent.h"
#include "engine/search/settings.h"
#include "nn/inference.h"

namespace baghzero {

// A contestant: either a network with a search, or anything that makes agents.
struct Player {
  std::string name;
  NetworkPtr network;  // null: use make_agent
  SearchSettings search;
  int visits = 64;         // 0: the bare policy, without search
  double temperature = 0;  // for the first opening_temperature_plies plies after the opening
  int opening_temperature_plies = 0;
  std::function<std::unique_ptr<Agent>()> make_agent;
};

struct MatchGame {
  int pair = 0;  // index of the opening; the two games of a pair swap roles
  bool first_is_tiger = false;
  Game game;
};

struct MatchSettings {
  Rules rules;
  InferenceSettings inference;
  int workers = 0;  // threads; 0: one per core
  int games_per_worker = 64;
  std::uint64_t seed = 1;
};

// Distinct openings (up to symmetry), from random placements balanced by quick play: `count` games
// of a few plies each. Equal seeds give equal openings.
std::vector<Game> make_openings(const Rules& rules, int count, std::uint64_t seed);

// Plays every opening twice with roles swapped. `on_pair` is called (from one thread at a time, in
// order of pair) with the two games of each finished pair (first player as goat, then as tiger);
// returning false stops the match after the games in progress are dropped. The games depend on the
// seed only, not on the number of workers.
void play_match(const Player& first, const Player& second, std::span<const Game> openings,
                const MatchSettings& settings,
                const std::function<bool(const MatchGame&, const MatchGame&)>& on_pair);

}  // namespace baghzero
