// What tests of matches share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "selfplay/match.h"
#include "tests/selfplay/stand_in.h"

namespace baghzero::test {

inline Player agent_player(const std::string& name, std::unique_ptr<Agent> (*make)()) {
  Player player;
  player.name = name;
  player.make_agent = make;
  return player;
}
inline Player random_player() { return agent_player("random", make_random_agent); }
inline Player greedy_player() { return agent_player("greedy", make_greedy_agent); }

// A player that searches with an arbitrary evaluator and plays its first moves by chance.
inline Player search_player(std::uint64_t salt, int visits) {
  Player player;
  player.name = "arbitrary " + std::to_string(salt);
  player.visits = visits;
  player.temperature = 1;
  player.opening_temperature_plies = 10;
  player.make_evaluator = [salt] { return std::make_unique<ArbitraryEvaluator>(salt, 64); };
  return player;
}

inline MatchSettings settings_with(int workers, int games_per_worker) {
  MatchSettings settings;
  settings.workers = workers;
  settings.games_per_worker = games_per_worker;
  settings.seed = 11;
  settings.rules.max_plies = 120;
  return settings;
}

struct Played {
  std::vector<MatchGame> games;  // as goat, as tiger, as goat, …
  bool complete = false;
};

inline Played play(const Player& first, const Player& second, int pairs,
                   const MatchSettings& settings, int stop_after = -1) {
  Played played;
  const std::vector<Game> openings =
      make_openings(settings.rules, settings.first_pair + pairs, settings.seed);
  played.complete = play_match(
      first, second, std::span(openings).subspan(static_cast<std::size_t>(settings.first_pair)),
      settings, [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
        played.games.push_back(as_goat);
        played.games.push_back(as_tiger);
        return static_cast<int>(played.games.size()) != 2 * stop_after;
      });
  return played;
}

inline void expect_same_games(const Played& one, const Played& other) {
  ASSERT_EQ(one.games.size(), other.games.size());
  for (std::size_t i = 0; i < one.games.size(); ++i) {
    EXPECT_EQ(one.games[i].pair, other.games[i].pair);
    EXPECT_EQ(one.games[i].first_is_tiger, other.games[i].first_is_tiger);
    EXPECT_TRUE(std::ranges::equal(one.games[i].game.moves(), other.games[i].game.moves()))
        << "game " << i;
  }
}

}  // namespace baghzero::test
