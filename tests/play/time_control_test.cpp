#include "play/time_control.h"

#include <cmath>
#include <stdexcept>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "play/position_text.h"

namespace baghzero {
namespace {

constexpr std::uint32_t kDefaultVisits = 800;
constexpr std::int64_t kOverhead = 10;

SearchPlan plan_of(std::string_view text, Side side = Side::Goat) {
  const auto words = split_words(text);
  return plan_search(parse_go(words), side, kDefaultVisits, kOverhead);
}

TEST(TimeControl, VisitsAloneStartAfresh) {
  const SearchPlan plan = plan_of("nodes 64");
  EXPECT_TRUE(plan.fresh);
  EXPECT_EQ(plan.limits.visits, 64U);
  EXPECT_TRUE(std::isinf(plan.limits.seconds));
  EXPECT_EQ(plan_of("").limits.visits, kDefaultVisits);
  EXPECT_FALSE(plan_of("infinite nodes 64").fresh);
  EXPECT_EQ(plan_of("infinite").limits.visits, kMaxVisits);
  EXPECT_EQ(plan_of("depth 7").limits.depth, 7);
}

TEST(TimeControl, MoveTimeIsUsedUpButForTheOverhead) {
  const SearchPlan plan = plan_of("movetime 1000");
  EXPECT_FALSE(plan.fresh);
  EXPECT_NEAR(plan.limits.seconds, 0.99, 1e-9);
  EXPECT_GT(plan_of("movetime 0").limits.seconds, 0);
}

TEST(TimeControl, ClocksBelongToTheirSide) {
  const auto seconds = [](std::string_view text, Side side) {
    return plan_of(text, side).limits.seconds;
  };
  EXPECT_NEAR(seconds("p1time 50000 p2time 25000", Side::Goat), 1.99, 1e-9);
  EXPECT_NEAR(seconds("p1time 50000 p2time 25000", Side::Tiger), 0.99, 1e-9);
  EXPECT_NEAR(seconds("wtime 50000 btime 25000 winc 1000 binc 0", Side::Goat), 2.79, 1e-9);
  // Never more than is on the clock, however large the increment.
  EXPECT_LT(seconds("p1time 100 p1inc 60000", Side::Goat), 0.1);
  EXPECT_NEAR(seconds("p1time 1000 movestogo 1", Side::Goat), 0.99, 1e-9);
  EXPECT_GT(seconds("p1time -300 p1inc 0", Side::Goat), 0);
  // A clock for the other side only is no limit for this one.
  EXPECT_EQ(plan_of("p2time 1000", Side::Goat).limits.visits, kDefaultVisits);
}

TEST(TimeControl, NamesWhatItDoesNotUnderstand) {
  const auto words = split_words("ponder nodes 5 quickly");
  EXPECT_THAT(parse_go(words).ignored, testing::ElementsAre("ponder", "quickly"));
  for (const char* text :
       {"nodes", "nodes x", "movetime 1.5", "p1time 12a", "depth nodes", "nodes 0", "nodes -5",
        "nodes 99999999999999999999", "depth 0", "movetime -1", "movetime 9999999999999",
        "movestogo 0", "p1time 9999999999999", "p2inc -99999999999999999999", "p1inc -1",
        "binc -1"}) {
    const auto wrong = split_words(text);
    EXPECT_THROW(parse_go(wrong), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace baghzero
