#include "engine/agents/heuristic.h"

#include <algorithm>
#include <array>
#include <bit>

namespace baghzero {
namespace {

// Weights, by captures or tigers. A capture costs the more the fewer goats are left to give.
constexpr int kFirstCapture = 200;
constexpr int kGrowthPerCapture = 60;
constexpr std::array<int, kTigerCount + 1> kImmobile = {0, 90, 220, 420, 900};
constexpr int kTigerStep = 6;
constexpr int kClosedPoint = 22;
constexpr int kCentralTiger = 8;
constexpr int kThreatenedGoat = 35;
constexpr int kSecondThreat = 90;

constexpr Bitboard central_points() {
  Bitboard central = 0;
  for (Point point = 0; point < kPointCount; ++point)
    if (std::popcount(neighbours(point)) == 8) central |= bit(point);
  return central;
}
constexpr Bitboard kCentralPoints = central_points();

constexpr int capture_price(int captured) { return kFirstCapture + kGrowthPerCapture * captured; }

constexpr int captures_value(int captured) {
  return captured * kFirstCapture + kGrowthPerCapture * captured * (captured - 1) / 2;
}

// Empty points that tigers reach by steps alone, if goats stand still.
Bitboard open_points(const Position& position) {
  Bitboard open = 0;
  for (Bitboard frontier = position.tigers(); frontier != 0;) {
    Bitboard next = 0;
    while (frontier != 0) next |= neighbours(pop_lowest(frontier));
    frontier = next & position.empty() & ~open;
    open |= frontier;
  }
  return open;
}

int tiger_steps(const Position& position) {
  int steps = 0;
  for (Bitboard tigers = position.tigers(); tigers != 0;)
    steps += std::popcount(neighbours(pop_lowest(tigers)) & position.empty());
  return steps;
}

// What the goats that a tiger could take now are worth to tigers.
int threat_value(const Position& position, const Rules& rules) {
  const int threatened = std::popcount(capturable_goats(position));
  if (threatened == 0) return 0;
  const int price = capture_price(position.captured());
  if (position.side_to_move() == Side::Goat)
    return kThreatenedGoat + (threatened > 1 ? kSecondThreat : 0);
  if (position.captured() + 1 >= rules.captures_to_win) return kMaxHeuristic / 2;
  return price * 4 / 5 + (threatened > 1 ? kThreatenedGoat : 0);
}

}  // namespace

int heuristic_value(const Position& position, const Rules& rules) {
  const Bitboard closed = position.empty() & ~open_points(position);
  const int for_goats =
      kImmobile[static_cast<std::size_t>(std::popcount(immobile_tigers(position)))] +
      kClosedPoint * std::popcount(closed) - captures_value(position.captured()) -
      kTigerStep * tiger_steps(position) -
      kCentralTiger * std::popcount(position.tigers() & kCentralPoints) -
      threat_value(position, rules);
  const int bounded = std::clamp(for_goats, -kMaxHeuristic, kMaxHeuristic);
  return position.side_to_move() == Side::Goat ? bounded : -bounded;
}

}  // namespace baghzero
