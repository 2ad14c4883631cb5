#include "engine/agents/alphabeta.h"

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "engine/agents/heuristic.h"
#include "engine/notation.h"
#include "tests/search/support.h"
#include "tests/support/allocation_count.h"

namespace baghzero::search_test {
namespace {

AlphaBetaResult search(const Game& game, int depth) {
  AlphaBetaSearch searcher(1 << 12);
  Random random(1);
  return searcher.run(game, {.depth = depth}, random);
}
std::string best(const Game& game, int depth) {
  return format_move(game.side_to_move(), search(game, depth).action);
}

// The value by plain recursion over Game.
int naive_value(const Game& game, int depth, int ply) {
  if (game.over()) {
    if (game.outcome() == Outcome::Draw) return 0;
    return game.outcome() == win_for(game.side_to_move()) ? kWinScore - ply : ply - kWinScore;
  }
  if (depth == 0) return heuristic_value(game.position(), game.rules());
  int value = -kWinScore;
  for (const Action action : game.legal()) {
    Game next = game;
    next.play(action);
    value = std::max(value, -naive_value(next, depth - 1, ply + 1));
  }
  return value;
}

TEST(AlphaBeta, AgreesWithPlainMinimax) {
  Random random(3);
  std::map<bool, int> compared;  // by phase
  int proven = 0;
  for (const Repetition repetition : {Repetition::Forbidden, Repetition::Threefold})
    for (int i = 0; i < 240; ++i) {
      Rules rules = rules_with(repetition);
      rules.captures_to_win = 1 + static_cast<int>(random.below(12));
      rules.max_plies = i % 4 == 0 ? 62 : 600;
      rules.no_capture_limit = i % 4 == 1 ? 12 : 150;
      const Game game = random_game(rules, static_cast<int>(random.below(61)), random());
      if (game.over()) continue;
      const int depth = game.legal().size() > 14 ? 2 : game.legal().size() > 9 ? 3 : 4;
      AlphaBetaSearch searcher(1 << 10);
      const AlphaBetaResult result = searcher.run(game, {.depth = depth}, random);
      const int expected = naive_value(game, depth, 0);
      // A search that has proven its value stops there: deeper ones would only confirm it.
      ASSERT_EQ(result.score, expected) << format_game(game) << " depth " << depth;
      Game next = game;
      next.play(result.action);
      ASSERT_EQ(-naive_value(next, result.depth - 1, 1), expected) << format_game(game);
      ++compared[game.position().in_placement()];
      proven += is_proven(expected) ? 1 : 0;
    }
  EXPECT_GT(compared[true], 100);
  EXPECT_GT(compared[false], 60);
  EXPECT_GT(proven, 20);
}

TEST(AlphaBeta, FindsTheShortestWin) {
  const Game game = game_after("GGBB1/GGGG1/GG1GG/1G2G/BGGB1 B 18");
  const AlphaBetaResult result = search(game, 6);
  EXPECT_EQ(result.score, kWinScore - 1);
  EXPECT_TRUE(is_jump(result.action));
  EXPECT_EQ(result.depth, 1) << "nothing is left to be found";
  EXPECT_EQ(best(game_after("G1GGG/GG1BG/GGGGG/GGGBG/GBGGB G 19"), 6), "G23");
  EXPECT_EQ(search(game_after("GBGGG/GGG1G/BGGBG/BGGGG/GGGG1 G 21"), 6).score, kWinScore - 1);
}

TEST(AlphaBeta, SeesLossesAndParriesThem) {
  EXPECT_EQ(search(game_after("GGGGG/GGGGB/GBGBG/G1GGG/GBGGG B 20"), 6).score, 4 - kWinScore);
  EXPECT_EQ(search(game_after("GGGG1/GGGGG/GG1GB/BG1B1/GG1BG G 25"), 6).score, 2 - kWinScore);
  EXPECT_EQ(best(game_after("GGBB1/GGGG1/GG1GG/1G2G/BGGB1 G 18"), 4), "G33");
  EXPECT_EQ(best(game_after("GGGGG/GGG1B/GGBG1/GG1B1/BGGG1 G 30"), 4), "G3424");
}

TEST(AlphaBeta, UsesTheRepetitionRule) {
  EXPECT_EQ(best(game_after("BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20", "B1213 G5152 B1112"), 5),
            "G5251");
  EXPECT_EQ(best(game_after("GGGBB/GGG1G/GGGGB/BGGGG/GGGGG B 20", "B1524 G2515 B2425 G1524"), 5),
            "B2515");
}

TEST(AlphaBeta, ALimitInReachIsADraw) {
  Rules rules;
  rules.no_capture_limit = 2;
  EXPECT_EQ(search(game_after("BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20", "B1213", rules), 6).score, 0);
}

TEST(AlphaBeta, WorksWithoutAllocations) {
  AlphaBetaSearch searcher(1 << 12);
  Random random(4);
  const Game long_game = random_game(rules_with(Repetition::Off), 30, 2);
  searcher.run(long_game, {.depth = 2}, random);
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const Game game = random_game({}, static_cast<int>(7 * seed), seed);
    if (game.over()) continue;
    const std::int64_t before = allocation_count();
    EXPECT_GT(searcher.run(game, {.depth = 4}, random).nodes, 100U);
    EXPECT_EQ(allocation_count(), before);
  }
}

TEST(AlphaBeta, DependsOnTheSeedOnly) {
  const auto play = [](std::uint64_t seed) {
    const auto agent = make_alphabeta_agent({.depth = 2});
    agent->new_game(seed);
    Game game;
    while (!game.over() && game.plies() < 80) game.play(agent->choose(game));
    return format_game(game);
  };
  EXPECT_EQ(play(1), play(1));
  EXPECT_NE(play(1), play(2));
}

TEST(AlphaBeta, StopsWhenTheTimeIsUp) {
  AlphaBetaSearch searcher;
  Random random(1);
  const AlphaBetaResult result =
      searcher.run(Game(), {.time_per_move = std::chrono::milliseconds(20)}, random);
  EXPECT_TRUE(Game().legal().contains(result.action));
  EXPECT_GE(result.depth, 1);
  EXPECT_LT(result.depth, 20);
}

TEST(AlphaBeta, RefusesLimitsWithoutSense) {
  EXPECT_THROW(make_alphabeta_agent({.depth = 0}), std::invalid_argument);
  EXPECT_THROW(make_alphabeta_agent({.depth = 61}), std::invalid_argument);
  EXPECT_EQ(make_alphabeta_agent({.depth = 6})->name(), "alphabeta:6");
  EXPECT_EQ(make_alphabeta_agent({.time_per_move = std::chrono::milliseconds(50)})->name(),
            "alphabeta:50ms");
}

TEST(Heuristic, IsTheOppositeForTheOtherSideWhereNothingHangs) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed < 400; ++seed) {
    const Position position = random_game({}, static_cast<int>(seed % 60), seed).position();
    const Position turned(position.tigers(), position.goats(), position.goats_in_hand(),
                          position.captured(), opponent(position.side_to_move()));
    const int value = heuristic_value(position, {});
    EXPECT_LE(std::abs(value), kMaxHeuristic);
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry)
      EXPECT_EQ(heuristic_value(apply_symmetry(symmetry, position), {}), value);
    if (capturable_goats(position) != 0) continue;
    EXPECT_EQ(heuristic_value(turned, {}), -value);
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace baghzero::search_test
