// Retrograde analysis of the two smallest layers, on top of a layer of random values.
#include "engine/solver/movement.h"

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

// Codes as a solver could have found them: wins are odd, losses even.
void fill_randomly(MovementTable& table, int captured, Random& random) {
  const std::size_t boards = std::size_t{MovementTable::boards_per_class(captured)} *
                             static_cast<std::size_t>(TigerClasses::instance().count());
  for (auto& codes : table.layers()[captured].codes) {
    codes.resize(boards);
    for (auto& code : codes)
      code = static_cast<MovementTable::Code>(random.below(3) == 0 ? 0 : random.below(60));
  }
}

TEST(MovementSolver, ValuesFollowFromThoseOnePlyOn) {
  constexpr int kRandomLayer = 2;
  Random random(4);
  MovementTable table;
  fill_randomly(table, kRandomLayer, random);
  for (int captured = kRandomLayer - 1; captured >= 0; --captured)
    ASSERT_TRUE(solve_movement_layer(table, captured, {.threads = 2}));
  int decided = 0;
  for (int sample = 0; sample < 30'000; ++sample) {
    const Side side = random.below(2) ? Side::Tiger : Side::Goat;
    const Position position = test::random_board(
        random, kSolvedGoats, static_cast<int>(random.below(kRandomLayer)), side);
    const SolvedValue value = table.value(position);
    ASSERT_EQ(value,
              test::naive_value(position, [&](const Position& next) { return table.value(next); }))
        << format_fen(position, kSolvedGoats);
    decided += value.outcome != Outcome::Draw;
  }
  EXPECT_GT(decided, 1000);
}

TEST(MovementSolver, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  MovementTable table;
  EXPECT_FALSE(solve_movement_layer(table, kSolvedCaptures - 1, {.stop = &stop}));
}

}  // namespace
}  // namespace baghzero
