// The solved game against the published totals and independent positions. All in one test, because
// the solution they look at takes a while.

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/random.h"
#include "engine/solver/placement.h"

namespace baghzero {
namespace {

// Lines of tests/data/FILE without comments, split at ';'.
std::vector<std::vector<std::string>> table(const std::string& file) {
  std::ifstream in(std::string(BAGHZERO_TEST_DATA) + "/" + file);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ';');) rows.back().push_back(field);
  }
  return rows;
}

std::string winner(Outcome outcome) {
  return outcome == Outcome::Draw ? "draw" : outcome == Outcome::GoatsWin ? "goat" : "tiger";
}

void expect_published_totals(const MovementTable& movement) {
  const auto rows = table("movement_totals.csv");
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

void expect_known_movement_positions(const MovementTable& movement) {
  const auto rows = table("solved_movement.csv");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    const SolvedValue value = movement.value(parse_fen(row[0]).position);
    EXPECT_EQ(winner(value.outcome), row[1]) << row[0];
    EXPECT_EQ(value.plies, row.size() > 2 ? std::stoi(row[2]) : -1) << row[0];
  }
}

// Every value follows from those one ply on.
void expect_consistent_values(const MovementTable& movement) {
  Random random(5);
  for (int trial = 0; trial < 500'000; ++trial) {
    const int captured = static_cast<int>(random.below(kSolvedCaptures));
    const Side side = random.below(2) ? Side::Tiger : Side::Goat;
    const std::size_t boards = movement.layers()[captured].codes[0].size();
    Position position;
    if (!MovementTable::position_at(captured, random() % boards, side, position)) continue;
    SolvedValue best{win_for(opponent(side)), 0};
    for (const Action action : board_legal_actions(position)) {
      const Position next = position.after(action);
      const SolvedValue value = next.captured() == kSolvedCaptures
                                    ? SolvedValue{Outcome::TigersWin, 0}
                                    : movement.value(next);
      const auto rank = [&](Outcome outcome) {
        return outcome == win_for(side) ? 2 : outcome == Outcome::Draw ? 1 : 0;
      };
      const bool better =
          rank(value.outcome) > rank(best.outcome) ||
          (rank(value.outcome) == rank(best.outcome) &&
           (rank(value.outcome) == 2 ? value.plies + 1 < best.plies
                                     : rank(value.outcome) == 0 && value.plies + 1 > best.plies));
      if (better) best = {value.outcome, value.plies < 0 ? -1 : value.plies + 1};
    }
    ASSERT_EQ(movement.value(position), best) << format_fen(position, kSolvedGoats);
  }
}

void expect_known_late_placements(const MovementTable& movement) {
  constexpr int kLastPlaced = 17;
  std::map<int, std::vector<std::pair<Position, std::string>>> known;
  for (const auto& row : table("solved_placement.csv")) {
    const Position position = parse_fen(row[0]).position;
    known[kSolvedGoats - position.goats_in_hand()].push_back({position, row[1]});
  }
  int checked = 0;
  solve_placement(movement, kLastPlaced, 2, [&](const PlacementLayer& layer) {
    for (const auto& [position, expected] : known[layer.placed]) {
      Outcome outcome = Outcome::Draw;
      if (position.side_to_move() == Side::Goat) {
        outcome = layer.value(position);
      } else {
        bool some_win = false;
        bool all_lose = true;
        for (const Action action : board_legal_actions(position)) {
          const Outcome next = layer.value(position.after(action));
          some_win |= next == Outcome::TigersWin;
          all_lose &= next == Outcome::GoatsWin;
        }
        outcome = some_win ? Outcome::TigersWin : all_lose ? Outcome::GoatsWin : Outcome::Draw;
      }
      EXPECT_EQ(winner(outcome), expected) << format_fen(position, layer.placed);
      ++checked;
    }
  });
  EXPECT_GT(checked, 30);
}

TEST(SolvedSlow, AgreesWithAllThatIsKnown) {
  const MovementTable movement = solve_movement(2);
  expect_published_totals(movement);
  expect_known_movement_positions(movement);
  expect_consistent_values(movement);
  expect_known_late_placements(movement);
}

}  // namespace
}  // namespace baghzero
