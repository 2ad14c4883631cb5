#include "engine/agents/search_agent.h"

#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "engine/notation.h"

namespace baghzero {
namespace {

Evaluation evaluation_of(std::initializer_list<float> policy) {
  Evaluation evaluation{};
  std::copy(policy.begin(), policy.end(), evaluation.policy.begin());
  return evaluation;
}

// A query with `count` legal actions.
Query query_with(int count) {
  Query query = make_query(Game());
  ActionList legal;
  for (int i = 0; i < count; ++i) legal.push_back(query.legal[i]);
  query.legal = legal;
  return query;
}

TEST(PolicyAction, TakesTheMostProbableMoveWithoutTemperature) {
  Random random(1);
  const Query query = query_with(4);
  EXPECT_EQ(policy_action(query, evaluation_of({0.1F, 0.4F, 0.4F, 0.1F}), 0, random),
            query.legal[1]);
  EXPECT_EQ(policy_action(query, evaluation_of({0, 0, 0, 1}), 0, random), query.legal[3]);
}

TEST(PolicyAction, DrawsByThePolicyRaisedToTheInverseTemperature) {
  const Query query = query_with(3);
  const Evaluation evaluation = evaluation_of({0.6F, 0.3F, 0.1F});
  constexpr int kDraws = 20'000;
  for (const double temperature : {1.0, 0.5, 2.0}) {
    Random random(2);
    std::array<double, 3> expected{};
    double total = 0;
    for (int i = 0; i < 3; ++i) {
      expected[i] = std::pow(evaluation.policy[i], 1 / temperature);
      total += expected[i];
    }
    std::array<int, 3> drawn{};
    for (int draw = 0; draw < kDraws; ++draw)
      ++drawn[query.legal.index_of(policy_action(query, evaluation, temperature, random))];
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(drawn[i], kDraws * expected[i] / total, 300);
  }
}

TEST(PolicyAction, SurvivesTemperaturesNearZeroAndEmptyPolicies) {
  Random random(3);
  const Query query = query_with(3);
  EXPECT_EQ(policy_action(query, evaluation_of({0.3F, 0.4F, 0.3F}), 1e-6, random), query.legal[1]);
  EXPECT_EQ(policy_action(query, evaluation_of({0, 0, 0}), 1, random), query.legal[0]);
  for (int draw = 0; draw < 1000; ++draw)
    EXPECT_NE(policy_action(query, evaluation_of({0.5F, 0, 0.5F}), 1, random), query.legal[1]);
}

TEST(SearchAgent, FindsTheWinningCapture) {
  const Game game = game_from_fen("BGBGB/G1GGG/GBGGG/GG1G1/G1GG1 B 20");
  ASSERT_EQ(game.position().captured(), 4);
  const auto agent =
      make_search_agent("searcher", std::make_unique<UniformEvaluator>(), {.visits = 200});
  agent->new_game(1);
  Game after = game;
  after.play(agent->choose(game));
  EXPECT_EQ(after.outcome(), Outcome::TigersWin);
  EXPECT_EQ(agent->name(), "searcher");
}

TEST(SearchAgent, PlaysTheSameGameFromTheSameSeed) {
  const auto play = [](std::uint64_t seed, int visits) {
    const auto agent =
        make_search_agent("searcher", std::make_unique<UniformEvaluator>(),
                          {.visits = visits, .temperature = 1, .temperature_plies = 20});
    agent->new_game(seed);
    Game game;
    while (!game.over() && game.plies() < 30) game.play(agent->choose(game));
    return std::vector<Action>(game.moves().begin(), game.moves().end());
  };
  for (const int visits : {0, 16}) {
    EXPECT_EQ(play(1, visits), play(1, visits));
    EXPECT_NE(play(1, visits), play(2, visits));
  }
}

// The plies of an opening are none of its own.
TEST(SearchAgent, DrawsItsFirstMovesFromWhereItIsFirstAsked) {
  Game opening;
  while (opening.plies() < 6) opening.play(opening.legal()[0]);
  const auto agent = make_search_agent("searcher", std::make_unique<UniformEvaluator>(),
                                       {.visits = 0, .temperature = 1, .temperature_plies = 2});
  std::set<Action> first;
  std::set<Action> second;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    agent->new_game(seed);
    Game game = opening;
    first.insert(agent->choose(game));
    game.play(game.legal()[0]);
    game.play(game.legal()[0]);
    second.insert(agent->choose(game));
  }
  EXPECT_GT(first.size(), 3U);
  EXPECT_EQ(second.size(), 1U);
}

TEST(SearchAgent, SearchesByTheClock) {
  const auto agent =
      make_search_agent("searcher", std::make_unique<UniformEvaluator>(),
                        {.visits = 0, .time_per_move = std::chrono::milliseconds(5)});
  agent->new_game(1);
  const Game game = game_from_fen("G1GGG/GG1BG/GGGGG/GGGBG/GBGGB G 19");
  EXPECT_EQ(format_move(Side::Goat, agent->choose(game)), "G23");
}

TEST(SearchAgent, RefusesSettingsWithoutSense) {
  const auto make = [](const SearchAgentSettings& settings) {
    make_search_agent("searcher", std::make_unique<UniformEvaluator>(), settings);
  };
  EXPECT_THROW(make({.visits = -1}), std::invalid_argument);
  EXPECT_THROW(make({.time_per_move = std::chrono::milliseconds(-1)}), std::invalid_argument);
  EXPECT_THROW(make({.temperature = -0.5}), std::invalid_argument);
  EXPECT_THROW(make({.temperature_plies = -1}), std::invalid_argument);
  EXPECT_THROW(make_search_agent("searcher", nullptr, {}), std::invalid_argument);
}

}  // namespace
}  // namespace baghzero
