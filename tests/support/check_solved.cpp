// Checks a solved game on random positions: check_solved DATABASE [BOARDS] [SEED].
//
// The value of each position must be the best of the values one ply on, by the naive rules of the
// tests. For every number of goats placed, BOARDS times (default 1,000) tigers are put on random
// points and a side is drawn to move, each time with 100 random sets of goats. Prints a line per
// layer; exits with 1 at the first position that disagrees.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "engine/notation.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

constexpr int kSetsPerBoard = 100;  // blocks of the database are read once for all of them

// Other goats beside the same tigers.
Position with_other_goats(const Position& position, Random& random) {
  const int count = std::popcount(position.goats());
  Bitboard goats = 0;
  while (std::popcount(goats) < count) {
    const Bitboard point = bit(static_cast<Point>(random.below(kPointCount)));
    if (!(point & position.tigers())) goats |= point;
  }
  return {position.tigers(), goats, position.goats_in_hand(), position.captured(),
          position.side_to_move()};
}

bool agrees(SolvedProbe& probe, const Position& position) {
  const bool moving = position.goats_in_hand() == 0;
  const SolvedValue expected =
      test::naive_value(position, [&](const Position& next) { return *probe.value(next); });
  const SolvedValue stored = *probe.value(position);
  return moving ? stored == expected : stored.outcome == expected.outcome;
}

bool check_layer(SolvedProbe& probe, int placed, int boards, Random& random) {
  std::int64_t checked = 0;
  for (int board = 0; board < boards; ++board) {
    const int captured = static_cast<int>(random.below(std::min(placed + 1, kSolvedCaptures)));
    Position position =
        test::random_board(random, placed, captured, random.below(2) ? Side::Tiger : Side::Goat);
    for (int set = 0; set < kSetsPerBoard; ++set, ++checked) {
      position = with_other_goats(position, random);
      if (agrees(probe, position)) continue;
      std::printf("disagrees with what follows it: %s\n",
                  format_fen(position, kSolvedGoats).c_str());
      return false;
    }
  }
  std::printf("%2d goats placed: %lld positions agree\n", placed, static_cast<long long>(checked));
  std::fflush(stdout);
  return true;
}

bool check(const std::string& folder, int boards, std::uint64_t seed) {
  SolvedProbe probe(std::make_shared<SolvedDatabase>(folder));
  Random random(seed);
  for (int placed = kSolvedGoats; placed >= probe.database().first_placed(); --placed)
    if (!check_layer(probe, placed, boards, random)) return false;
  return true;
}

}  // namespace
}  // namespace baghzero

int main(int argc, char** argv) {
  const int boards = argc > 2 ? std::atoi(argv[2]) : 1'000;
  if (argc < 2 || argc > 4 || boards < 1) {
    std::fputs("usage: check_solved DATABASE [BOARDS] [SEED], where BOARDS is at least 1\n",
               stderr);
    return 2;
  }
  try {
    return baghzero::check(argv[1], boards, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1) ? 0
                                                                                                : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "check_solved: error: %s\n", error.what());
    return 1;
  }
}
