// The solved game against the published totals and independent positions. All in one test, because
// solving takes a while.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/notation.h"
#include "engine/solver/build_database.h"
#include "tests/solver/support.h"
#include "tests/support/table.h"

namespace baghzero {
namespace {

using test::read_table;
using test::winner;

constexpr int kFirstPlaced = 17;

void expect_published_totals(const MovementTable& movement) {
  const auto rows = read_table("movement_totals.csv");
  ASSERT_EQ(rows.size(), 10U);
  std::uint64_t positions = 0;
  for (const auto& row : rows) {
    const Side side = row[1] == "goat" ? Side::Goat : Side::Tiger;
    const MovementTotals totals = count_movement(movement, std::stoi(row[0]), side);
    const MovementTotals expected{std::stoull(row[2]), std::stoull(row[3]), std::stoull(row[4]),
                                  std::stoull(row[5]), std::stoi(row[6]),   std::stoi(row[7])};
    EXPECT_EQ(totals, expected) << row[0] << " captured, " << row[1] << " to move";
    positions += totals.positions;
  }
  EXPECT_EQ(positions, 88'260'972U);
}

void expect_known_movement_positions(SolvedProbe& probe) {
  for (const auto& row : read_table("solved_movement.csv")) {
    const auto value = probe.value(parse_fen(row[0]).position);
    ASSERT_TRUE(value);
    EXPECT_EQ(winner(value->outcome), row[1]) << row[0];
    EXPECT_EQ(value->plies, row[2].empty() ? -1 : std::stoi(row[2])) << row[0];
  }
}

// Those that a short search reaches too, where their layer is missing.
void expect_known_placements(SolvedProbe& probe) {
  int stored = 0;
  int searched = 0;
  for (const auto& row : read_table("solved_placement.csv")) {
    const Position position = parse_fen(row[0]).position;
    const int placed = kSolvedGoats - position.goats_in_hand();
    if (placed < kFirstPlaced - 1) continue;
    const auto value = probe.value(position);
    ASSERT_TRUE(value || placed < kFirstPlaced) << row[0];
    if (!value) continue;
    EXPECT_EQ(winner(value->outcome), row[1]) << row[0];
    ++(placed < kFirstPlaced ? searched : stored);
  }
  EXPECT_GT(stored, 30);
  EXPECT_GT(searched, 0);
}

void expect_consistent_movement(const MovementTable& movement) {
  Random random(5);
  for (int sample = 0; sample < 1'000'000; ++sample) {
    const Position position =
        test::random_board(random, kSolvedGoats, static_cast<int>(random.below(kSolvedCaptures)),
                           random.below(2) ? Side::Tiger : Side::Goat);
    ASSERT_EQ(
        movement.value(position),
        test::naive_value(position, [&](const Position& next) { return movement.value(next); }))
        << format_fen(position, kSolvedGoats);
  }
}

void expect_consistent_placements(SolvedProbe& probe) {
  Random random(6);
  for (int sample = 0; sample < 5'000; ++sample) {
    const int placed = kFirstPlaced + static_cast<int>(random.below(kSolvedGoats - kFirstPlaced));
    const Position position =
        test::random_board(random, placed, static_cast<int>(random.below(kSolvedCaptures)),
                           random.below(2) ? Side::Tiger : Side::Goat);
    const Outcome expected = test::naive_value(position, [&](const Position& next) {
                               return *probe.value(next);
                             }).outcome;
    ASSERT_EQ(probe.value(position)->outcome, expected) << format_fen(position, placed);
  }
}

TEST(SolvedSlow, AgreesWithAllThatIsKnown) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("baghzero_solved_" + std::to_string(::getpid()));
  // Stopped in the midst of a layer, then taken up again.
  std::atomic<bool> stop = false;
  BuildSettings settings{.threads = 2, .last_placed = kFirstPlaced, .stop = &stop};
  const BuildResult begun = build_database(folder, settings, [&](const BuildProgress& progress) {
    if (progress.detail.starts_with("movement, 2")) stop = true;
  });
  EXPECT_FALSE(begun.finished);
  EXPECT_EQ(begun.solved, 2);
  stop = false;
  double share = 0;
  const BuildResult built = build_database(folder, settings, [&](const BuildProgress& progress) {
    EXPECT_GE(progress.share, share - 1e-9);
    share = progress.share;
  });
  EXPECT_TRUE(built.finished);
  EXPECT_EQ(built.kept, 2);
  EXPECT_EQ(built.solved, kSolvedCaptures - 2 + kSolvedGoats - kFirstPlaced);
  EXPECT_NEAR(share, 1, 1e-9);

  const auto database = std::make_shared<SolvedDatabase>(folder);
  EXPECT_EQ(database->first_placed(), kFirstPlaced);
  const MovementTable movement = load_movement(folder);
  SolvedProbe probe(database);
  expect_published_totals(movement);
  expect_known_movement_positions(probe);
  expect_known_placements(probe);
  expect_consistent_movement(movement);
  expect_consistent_placements(probe);
  // The start is too far from what is solved here.
  EXPECT_EQ(SolvedProbe(database, 1000).value(Position()), std::nullopt);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace baghzero
