#include "engine/solver/judgement.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/solver/suite.h"

namespace baghzero {
namespace {

TEST(GamePhases, GoByTheNumberOfThePlacement) {
  const auto phase = [](int placed, Side side) {
    return phase_of(Position(kTigerStart, 0, kSolvedGoats - placed, placed, side));
  };
  EXPECT_EQ(phase(0, Side::Goat), GamePhase::Placements1To7);
  EXPECT_EQ(phase(6, Side::Goat), GamePhase::Placements1To7);
  EXPECT_EQ(phase(7, Side::Tiger), GamePhase::Placements1To7);
  EXPECT_EQ(phase(7, Side::Goat), GamePhase::Placements8To14);
  EXPECT_EQ(phase(14, Side::Tiger), GamePhase::Placements8To14);
  EXPECT_EQ(phase(19, Side::Goat), GamePhase::Placements15To20);
  EXPECT_EQ(phase(20, Side::Tiger), GamePhase::Movement);
}

TEST(MistakeCounts, TellKindsApart) {
  MoveRanks ranks;
  ranks.best = 1;
  ranks.worst = -1;
  MistakeCounts counts;
  counts.add(ranks, 1);
  counts.add(ranks, 0);
  counts.add(ranks, -1);
  ranks.best = 0;
  counts.add(ranks, -1);
  ranks.worst = 0;
  counts.add(ranks, 0);
  EXPECT_EQ(counts.moves, 5);
  EXPECT_EQ(counts.decisive, 4);
  EXPECT_EQ(counts.win_to_draw, 1);
  EXPECT_EQ(counts.win_to_loss, 1);
  EXPECT_EQ(counts.draw_to_loss, 1);
  EXPECT_EQ(counts.mistakes(), 3);
}

TEST(MistakeTally, AddsGamesByRoleAndPhase) {
  ByRoleAndPhase<MistakeCounts> game;
  game.at(Side::Goat, GamePhase::Movement) = {.moves = 9, .decisive = 8, .win_to_draw = 2};
  game.at(Side::Goat, GamePhase::Placements1To7) = {.moves = 7, .decisive = 2, .draw_to_loss = 1};
  MistakeTally tally;
  tally.add_game(game);
  tally.add_game(game);
  tally.add_game({});
  EXPECT_EQ(tally.counts(Side::Goat, GamePhase::Movement).decisive, 16);
  EXPECT_EQ(tally.total(Side::Goat).moves, 32);
  EXPECT_EQ(tally.total(Side::Goat).mistakes(), 6);
  EXPECT_EQ(tally.total(Side::Tiger).moves, 0);
  // Two games alike leave no doubt but that of their moves.
  EXPECT_NEAR(tally.interval(Side::Goat).high, wilson_interval(6, 20).high, 1e-9);
  EXPECT_NEAR(tally.interval(Side::Goat, GamePhase::Movement).low, wilson_interval(4, 16).low,
              1e-9);
  EXPECT_EQ(tally.interval(Side::Tiger).high, 1);
}

TEST(ValueCounts, MeasureWhatANetworkThinksOfTheTrueResult) {
  ValueCounts counts;
  counts.add({0.5F, 0.25F, 0.25F}, 1);
  counts.add({0.5F, 0.25F, 0.25F}, 0);
  counts.add({0.5F, 0.25F, 0.25F}, -1);
  EXPECT_EQ(counts.positions, 3);
  EXPECT_EQ(counts.right, 1);
  EXPECT_NEAR(counts.cross_entropy, std::log(2) + 2 * std::log(4), 1e-6);
  counts.add({1, 0, 0}, -1);
  EXPECT_TRUE(std::isfinite(counts.cross_entropy));
}

TEST(Suite, IsReadAsItWasWritten) {
  SuitePosition entry;
  entry.rank = 0;
  entry.keeping.push_back(placement_action(1));
  entry.keeping.push_back(placement_action(12));
  const std::string text = format_suite({entry}, 7);
  EXPECT_EQ(suite_title(text), "baghzero suite 1, seed 7, 1 positions");
  EXPECT_THAT(text, testing::HasSubstr("B3B/5/5/5/B3B G 0;draw;G12 G33\n"));
  const auto read = parse_suite(text);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].position, entry.position);
  EXPECT_EQ(read[0].rank, 0);
  EXPECT_TRUE(std::ranges::equal(read[0].keeping, entry.keeping));
}

TEST(Suite, RefusesWhatIsNotWhole) {
  const std::string text = format_suite(std::vector<SuitePosition>(1), 7);
  EXPECT_THROW(parse_suite("x"), std::invalid_argument);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_THROW(parse_suite(text.substr(0, size)), std::invalid_argument) << size;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THROW(parse_suite(damaged), std::invalid_argument) << at;
  }
}

}  // namespace
}  // namespace baghzero
