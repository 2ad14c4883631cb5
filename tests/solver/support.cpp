#include "tests/solver/support.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace baghzero::test {

std::vector<std::vector<std::string>> solved_rows(const std::string& file) {
  const std::string path = std::string(BAGHZERO_TEST_DATA) + "/" + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
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

bool is_better(Side side, const SolvedValue& a, const SolvedValue& b) {
  const int rank_a = rank_for(side, a.outcome);
  const int rank_b = rank_for(side, b.outcome);
  if (rank_a != rank_b) return rank_a > rank_b;
  return rank_a > 0 ? a.plies < b.plies : rank_a < 0 && a.plies > b.plies;
}

}  // namespace baghzero::test
