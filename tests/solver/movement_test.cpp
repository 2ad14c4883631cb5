// Retrograde analysis of the two smallest layers, on top of a layer of random values.
#include "engine/solver/movement.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

TEST(MovementSolver, ValuesFollowFromThoseOnePlyOn) {
  const MovementTable& table = test::solved_on_random_values();
  Random random(4);
  int decided = 0;
  for (int sample = 0; sample < 30'000; ++sample) {
    const Side side = random.below(2) ? Side::Tiger : Side::Goat;
    const Position position = test::random_board(
        random, kSolvedGoats, static_cast<int>(random.below(test::kConsistentCaptures)), side);
    const SolvedValue value = table.value(position);
    ASSERT_EQ(value,
              test::naive_value(position, [&](const Position& next) { return table.value(next); }))
        << format_fen(position, kSolvedGoats);
    decided += value.outcome != Outcome::Draw;
  }
  EXPECT_GT(decided, 1000);
}

TEST(MovementSolver, TellsHowFarItIsAllAlong) {
  MovementTable table = test::solved_on_random_values();
  std::vector<double> shares;
  const SolveControl control = {.progress = [&](double share) { shares.push_back(share); }};
  ASSERT_TRUE(solve_movement_layer(table, 1, control));
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_LE(shares.back(), 1);
  // The first look at all boards is no small part, and is not silent.
  EXPECT_GT(shares.front(), 0);
  EXPECT_LT(shares.front(), 0.1);
  EXPECT_GT(std::ranges::count_if(shares, [](double share) { return share < 0.5; }), 8);
}

TEST(MovementSolver, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  MovementTable table;
  EXPECT_FALSE(solve_movement_layer(table, kSolvedCaptures - 1, {.stop = &stop}));
}

}  // namespace
}  // namespace baghzero
