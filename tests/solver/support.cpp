#include "tests/solver/support.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace baghzero::test {

std::string winner(Outcome outcome) {
  return outcome == Outcome::Draw ? "draw" : outcome == Outcome::GoatsWin ? "goat" : "tiger";
}

Position position_of(const naive::State& state) {
  Bitboard tigers = 0;
  Bitboard goats = 0;
  for (int p = 0; p < kPointCount; ++p) {
    const char piece = state.board[p / 5][p % 5];
    if (piece == 'B') tigers |= bit(static_cast<Point>(p));
    if (piece == 'G') goats |= bit(static_cast<Point>(p));
  }
  return {tigers, goats, state.in_hand, state.captured,
          state.to_move == 'G' ? Side::Goat : Side::Tiger};
}

Position random_board(Random& random, int placed, int captured, Side side) {
  const auto draw = [&](Bitboard taken, int count) {
    Bitboard points = 0;
    while (std::popcount(points) < count)
      points |= bit(static_cast<Point>(random.below(kPointCount))) & ~taken;
    return points;
  };
  const Bitboard tigers = draw(0, kTigerCount);
  return {tigers, draw(tigers, placed - captured), kSolvedGoats - placed, captured, side};
}

namespace {

std::size_t boards_of(int captured) {
  return std::size_t{MovementTable::boards_per_class(captured)} *
         static_cast<std::size_t>(TigerClasses::instance().count());
}

MovementTable solve_on_random_values() {
  MovementTable table = uniform_table(Outcome::Draw);
  Random random(4);
  // Codes as a solver could have found them: wins are odd, losses even.
  for (auto& codes : table.layers()[kConsistentCaptures].codes)
    for (auto& code : codes)
      code = static_cast<MovementTable::Code>(random.below(3) == 0 ? 0 : random.below(60));
  for (int captured = kConsistentCaptures - 1; captured >= 0; --captured)
    solve_movement_layer(table, captured, {.threads = 2});
  return table;
}

}  // namespace

const MovementTable& solved_on_random_values() {
  static const MovementTable table = solve_on_random_values();
  return table;
}

MovementTable uniform_table(Outcome outcome) {
  constexpr MovementTable::Code kWinInOne = 2;
  constexpr MovementTable::Code kLossInTwo = 3;
  MovementTable table;
  for (int captured = 0; captured < kSolvedCaptures; ++captured)
    for (const Side side : {Side::Goat, Side::Tiger})
      table.layers()[captured].codes[static_cast<int>(side)].assign(
          boards_of(captured), outcome == Outcome::Draw   ? MovementTable::Code{0}
                               : outcome == win_for(side) ? kWinInOne
                                                          : kLossInTwo);
  return table;
}

std::filesystem::path movement_folder(const MovementTable& table) {
  static int number = 0;
  const auto folder =
      std::filesystem::path(testing::TempDir()) /
      ("baghzero_movement_" + std::to_string(::getpid()) + "_" + std::to_string(++number));
  std::filesystem::create_directories(folder);
  for (int captured = 0; captured < kSolvedCaptures; ++captured)
    store_movement_layer(folder, captured, table, 2);
  return folder;
}

bool is_better(Side side, const SolvedValue& a, const SolvedValue& b) {
  const int rank_a = rank_for(side, a.outcome);
  const int rank_b = rank_for(side, b.outcome);
  if (rank_a != rank_b) return rank_a > rank_b;
  return rank_a > 0 ? a.plies < b.plies : rank_a < 0 && a.plies > b.plies;
}

}  // namespace baghzero::test
