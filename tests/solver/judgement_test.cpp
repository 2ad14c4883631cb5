#include "engine/solver/judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/solver/suite.h"

namespace baghzero {
namespace {

// Brown, Cai, DasGupta 2001 give the formula; values by hand.
TEST(WilsonInterval, HoldsAtTheEdgesAndInBetween) {
  EXPECT_EQ(wilson_interval(0, 0).low, 0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
  EXPECT_NEAR(wilson_interval(0, 10).low, 0, 1e-12);
  EXPECT_NEAR(wilson_interval(0, 10).high, 0.2775, 1e-4);
  EXPECT_NEAR(wilson_interval(5, 10).low, 0.2366, 1e-4);
  EXPECT_NEAR(wilson_interval(5, 10).high, 0.7634, 1e-4);
}

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

TEST(Suite, IsReadAsItWasWritten) {
  SuitePosition entry;
  entry.rank = 0;
  entry.keeping.push_back(placement_action(1));
  entry.keeping.push_back(placement_action(12));
  const std::string text = format_suite({entry}, 7);
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
