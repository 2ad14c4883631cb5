#include "tests/engine/support.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "engine/notation.h"

namespace baghzero {

void PrintTo(const Position& position, std::ostream* out) {
  *out << format_fen(position, 20 - position.goats_in_hand()) << ", " << position.goats_in_hand()
       << " in hand, " << position.captured() << " captured";
}

void PrintTo(const Rules& rules, std::ostream* out) {
  *out << rules.goats << " goats, " << rules.captures_to_win << " captures win, repetition "
       << to_string(rules.repetition) << ", limits " << rules.no_capture_limit << " and "
       << rules.max_plies;
}

namespace testing_support {

std::vector<std::string> point_names(Bitboard board) {
  std::vector<std::string> names;
  while (board) names.push_back(point_name(pop_lowest(board)));
  return names;
}

Action random_action(const ActionList& list, Random& random) {
  return list[static_cast<int>(random.below(static_cast<std::uint32_t>(list.size())))];
}

Position random_placement(Random& random, int goats, int in_hand, int captured) {
  std::array<Point, kPointCount> points{};
  for (int i = 0; i < kPointCount; ++i) points[i] = static_cast<Point>(i);
  Bitboard tigers = 0;
  Bitboard goats_board = 0;
  for (int i = 0; i < kTigerCount + goats; ++i) {
    const auto j = i + static_cast<int>(random.below(static_cast<std::uint32_t>(kPointCount - i)));
    std::swap(points[i], points[j]);
    (i < kTigerCount ? tigers : goats_board) |= bit(points[i]);
  }
  return {tigers, goats_board, in_hand, captured, random.below(2) == 0 ? Side::Goat : Side::Tiger};
}

Position random_position(Random& random) {
  const int captured = static_cast<int>(random.below(6));
  const bool placement = random.below(2) == 0;
  const int in_hand =
      placement ? static_cast<int>(random.below(static_cast<std::uint32_t>(21 - captured))) : 0;
  return random_placement(random, 20 - in_hand - captured, in_hand, captured);
}

}  // namespace testing_support
}  // namespace baghzero
