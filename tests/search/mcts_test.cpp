#include "engine/agents/mcts.h"

#include <string>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/search/support.h"
#include "tests/support/allocation_count.h"

namespace baghzero::search_test {
namespace {

MctsSearch searched(const Game& game, int rollouts, std::uint64_t seed = 1) {
  MctsSearch search({.rollouts = rollouts});
  Random random(seed);
  search.run(game, random);
  return search;
}
std::string best(const Game& game, int rollouts) {
  return format_move(game.side_to_move(), searched(game, rollouts).best());
}

TEST(Mcts, TakesAWinAtOnce) {
  const Game captures = game_after("GGBB1/GGGG1/GG1GG/1G2G/BGGB1 B 18");
  EXPECT_TRUE(is_jump(searched(captures, 1).best()));
  EXPECT_EQ(best(game_after("G1GGG/GG1BG/GGGGG/GGGBG/GBGGB G 19"), 1), "G23");
  EXPECT_EQ(best(game_after("BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20", "B1213 G5152 B1112"), 1),
            "G5251");
}

TEST(Mcts, ProvesLossesAndAvoidsThem) {
  const Game lost = game_after("GGGG1/GGGGG/GG1GB/BG1B1/GG1BG G 25");
  for (const MctsMove& move : searched(lost, 2000).moves()) {
    EXPECT_TRUE(move.proven);
    EXPECT_EQ(move.score, 0);
  }
  EXPECT_EQ(best(game_after("GGBB1/GGGG1/GG1GG/1G2G/BGGB1 G 18"), 500), "G33");
  EXPECT_EQ(best(game_after("GGGGG/GGG1B/GGBG1/GG1B1/BGGG1 G 30"), 500), "G3424");
}

// Whatever it calls proven is what plain minimax finds, and an ample search proves small trees.
TEST(Mcts, ProofsAgreeWithPlainMinimax) {
  int proven = 0;
  Random random(9);
  for (int i = 0; i < 60; ++i) {
    Rules rules;
    rules.captures_to_win = 6 + static_cast<int>(random.below(12));
    rules.max_plies = 50;
    const Game game = random_game(rules, 47 + static_cast<int>(random.below(2)), random());
    if (game.over()) continue;
    const MctsSearch search = searched(game, 3000);
    for (const MctsMove& move : search.moves()) {
      Game next = game;
      next.play(move.action);
      const Exact exact = minimax(next, 3);
      ASSERT_NE(exact.proof, Proof::None);
      if (!move.proven) continue;
      ++proven;
      const double expected = exact.proof == Proof::Loss ? 1 : exact.proof == Proof::Win ? 0 : 0.5;
      ASSERT_EQ(move.score, expected) << format_game(next);
    }
  }
  EXPECT_GT(proven, 100);
}

TEST(Mcts, SharesItsVisitsAmongTheMoves) {
  const MctsSearch search = searched(Game(), 500);
  int visits = 0;
  for (const MctsMove& move : search.moves()) {
    visits += move.visits;
    EXPECT_GT(move.visits, 0);
    EXPECT_GE(move.score, 0);
    EXPECT_LE(move.score, 1);
  }
  EXPECT_EQ(search.moves().size(), 21U);
  EXPECT_EQ(visits, 500);
}

TEST(Mcts, DependsOnTheSeedOnly) {
  const auto visits = [](std::uint64_t seed) {
    std::vector<int> result;
    for (const MctsMove& move : searched(Game(), 300, seed).moves()) result.push_back(move.visits);
    return result;
  };
  EXPECT_EQ(visits(1), visits(1));
  EXPECT_NE(visits(1), visits(2));
}

TEST(Mcts, WorksWithoutAllocations) {
  MctsSearch search({.rollouts = 200});
  Random random(4);
  search.run(random_game({}, 60, 3), random);
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const Game game = random_game({}, static_cast<int>(7 * seed), seed);
    if (game.over()) continue;
    const std::int64_t before = allocation_count();
    search.run(game, random);
    EXPECT_EQ(allocation_count(), before);
  }
}

TEST(Mcts, EndsWhereRulesHaveNoEnd) {
  Rules rules = rules_with(Repetition::Off);
  rules.max_plies = rules.no_capture_limit = kNoLimit;
  rules.captures_to_win = 20;
  const Game game = random_game(rules, 50, 2);
  EXPECT_TRUE(game.legal().contains(searched(game, 50).best()));
}

TEST(Mcts, RefusesSettingsWithoutSense) {
  EXPECT_THROW(make_mcts_agent({.rollouts = 0}), std::invalid_argument);
  EXPECT_THROW(make_mcts_agent({.exploration = 0}), std::invalid_argument);
  EXPECT_EQ(make_mcts_agent({.rollouts = 1000})->name(), "mcts:1000");
}

}  // namespace
}  // namespace baghzero::search_test
