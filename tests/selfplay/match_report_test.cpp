#include "selfplay/match_report.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/random.h"

namespace baghzero {
namespace {

Game finished(Outcome outcome) {
  Game game;
  game.play(placement_action(2));
  game.adjudicate(outcome);
  return game;
}

Game random_game(std::uint64_t seed, const Rules& rules = {}) {
  Random random(seed);
  Game game(rules);
  while (!game.over())
    game.play(game.legal()[static_cast<int>(
        random.below(static_cast<std::uint32_t>(game.legal().size())))]);
  return game;
}

Game image(const Game& game, int symmetry) {
  Game result(game.rules());
  for (const Action action : game.moves()) result.play(apply_symmetry_to_action(symmetry, action));
  return result;
}

TEST(MatchReport, PairsFallIntoFiveBins) {
  using enum Outcome;
  EXPECT_EQ(pair_bin(TigersWin, GoatsWin), 0);
  EXPECT_EQ(pair_bin(Draw, GoatsWin), 1);
  EXPECT_EQ(pair_bin(TigersWin, Draw), 1);
  EXPECT_EQ(pair_bin(Draw, Draw), 2);
  EXPECT_EQ(pair_bin(GoatsWin, GoatsWin), 2);
  EXPECT_EQ(pair_bin(TigersWin, TigersWin), 2);
  EXPECT_EQ(pair_bin(GoatsWin, Draw), 3);
  EXPECT_EQ(pair_bin(GoatsWin, TigersWin), 4);
  EXPECT_THROW(pair_bin(Unfinished, Draw), std::invalid_argument);
}

TEST(MatchReport, CountsRolesApart) {
  MatchTally tally("new", "old");
  const auto add = [&](Outcome as_goat, Outcome as_tiger) {
    const int pair = tally.report().pairs;
    tally.add({pair, false, finished(as_goat)}, {pair, true, finished(as_tiger)});
  };
  add(Outcome::GoatsWin, Outcome::TigersWin);
  add(Outcome::TigersWin, Outcome::TigersWin);
  add(Outcome::Draw, Outcome::Draw);
  add(Outcome::Draw, Outcome::GoatsWin);
  const MatchReport& report = tally.report();
  EXPECT_EQ(report.pairs, 4);
  EXPECT_EQ(report.games(), 8);
  EXPECT_EQ(report.as_goat.wins, 1);
  EXPECT_EQ(report.as_goat.draws, 2);
  EXPECT_EQ(report.as_goat.losses, 1);
  EXPECT_EQ(report.as_tiger.wins, 2);
  EXPECT_EQ(report.as_tiger.draws, 1);
  EXPECT_EQ(report.as_tiger.losses, 1);
  EXPECT_DOUBLE_EQ(report.as_goat.score(), 0.5);
  EXPECT_DOUBLE_EQ(report.as_tiger.score(), 0.625);
  EXPECT_DOUBLE_EQ(report.score(), 4.5 / 8);
  EXPECT_EQ(report.pair_counts, (PairCounts{0, 1, 2, 0, 1}));
  EXPECT_DOUBLE_EQ(report.average_plies, 1);
  EXPECT_EQ(report.distinct_games, 1);
  EXPECT_EQ(report.terminations[static_cast<std::size_t>(Termination::Adjudicated)], 8);
  EXPECT_EQ(summary(report),
            "new vs old: 56.2 % in 4 pairs (as goat 50.0 % +1 =2 -1, as tiger 62.5 % +2 =1 -1), "
            "1 of 8 games distinct, 0 draws by a limit, 1.0 plies on average");
}

TEST(MatchReport, CountsWhoForfeited) {
  const auto forfeited = [](Side loser) {
    Game game;
    game.forfeit(loser);
    return game;
  };
  MatchTally tally("new", "old");
  tally.add({0, false, forfeited(Side::Goat)}, {0, true, forfeited(Side::Tiger)});
  tally.add({1, false, forfeited(Side::Tiger)}, {1, true, finished(Outcome::Draw)});
  EXPECT_EQ(tally.report().forfeits, (std::array{2, 1}));
  EXPECT_EQ(tally.report().terminations[static_cast<std::size_t>(Termination::Forfeit)], 3);
}

TEST(MatchReport, AnEmptyMatchIsEven) {
  const MatchReport report;
  EXPECT_EQ(report.score(), 0.5);
  EXPECT_EQ(report.as_goat.score(), 0.5);
}

TEST(MatchReport, DrawsByALimitAreDraws) {
  Rules rules;
  rules.max_plies = 8;
  MatchTally tally("new", "old");
  tally.add({0, false, random_game(1, rules)}, {0, true, random_game(2, rules)});
  const MatchReport& report = tally.report();
  EXPECT_EQ(report.limit_draws(), 2);
  EXPECT_EQ(report.as_goat.draws, 1);
  EXPECT_EQ(report.as_tiger.draws, 1);
  EXPECT_EQ(report.score(), 0.5);
  EXPECT_EQ(report.average_plies, 8);
}

TEST(MatchReport, RefusesGamesThatAreNoPair) {
  MatchTally tally("new", "old");
  const Game over = finished(Outcome::Draw);
  EXPECT_THROW(tally.add({0, false, over}, {1, true, over}), std::invalid_argument);
  EXPECT_THROW(tally.add({0, true, over}, {0, false, over}), std::invalid_argument);
  EXPECT_THROW(tally.add({0, false, over}, {0, true, Game()}), std::invalid_argument);
  EXPECT_EQ(tally.report().pairs, 0);
  EXPECT_EQ(tally.report().as_goat.games(), 0);
}

TEST(DistinctGames, SymmetricGamesAreOne) {
  DistinctGames distinct;
  const Game game = random_game(3);
  EXPECT_TRUE(distinct.add(game));
  for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry)
    EXPECT_FALSE(distinct.add(image(game, symmetry)));
  EXPECT_TRUE(distinct.add(random_game(4)));
  Game shorter = game;
  shorter.undo();
  EXPECT_TRUE(distinct.add(shorter));
  EXPECT_EQ(distinct.size(), 3);
}

TEST(DistinctGames, TheStartPositionCounts) {
  const Game one = game_from_fen("B3B/5/2G2/5/B3B B 1");
  const Game other = game_from_fen("B3B/2G2/5/5/B3B B 1");
  DistinctGames distinct;
  EXPECT_TRUE(distinct.add(one));
  EXPECT_TRUE(distinct.add(other));
  EXPECT_FALSE(distinct.add(one));
}

}  // namespace
}  // namespace baghzero
