// Games written by the Python package `baghchal`: our replay must agree with it in everything.
#include <bit>

#include "engine/notation.h"
#include "tests/engine/support.h"
#include "tests/support/table.h"

namespace baghzero {
namespace {

using namespace testing_support;

Outcome outcome_of_winner(const std::string& winner) {
  return winner == "G" ? Outcome::GoatsWin : winner == "B" ? Outcome::TigersWin : Outcome::Draw;
}

TEST(PackageGames, ReplayToTheSameEndAndText) {
  Rules rules;
  rules.repetition = Repetition::Threefold;
  int games = 0;
  int draws = 0;
  for (const auto& row : test::read_table("package_games.csv")) {
    ASSERT_EQ(row.size(), 5U);
    SCOPED_TRACE(row[4]);
    const Game game = parse_game(row[4], rules);
    EXPECT_TRUE(game.over());
    EXPECT_EQ(game.outcome(), outcome_of_winner(row[0]));
    EXPECT_EQ(format_fen(game), row[1]);
    EXPECT_EQ(game.position().captured(), std::stoi(row[2]));
    EXPECT_EQ(std::popcount(immobile_tigers(game.position())), std::stoi(row[3]));
    EXPECT_EQ(format_game(game), row[4]);

    const FenPosition read = parse_fen(row[1], rules);
    EXPECT_EQ(read.position, game.position());
    EXPECT_EQ(read.goat_moves, game.goat_moves());
    ++games;
    draws += game.termination() == Termination::Repetition ? 1 : 0;
  }
  EXPECT_EQ(games, 37);
  EXPECT_EQ(draws, 3);
}

}  // namespace
}  // namespace baghzero
