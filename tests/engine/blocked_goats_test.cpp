// Goats without a move: how rare, and where.
#include <bit>
#include <set>

#include "tests/engine/naive_rules.h"
#include "tests/engine/support.h"

namespace baghzero {
namespace {

// Calls visit(board) for every board with `count` of the points in `points`.
template <class Visit>
void for_each_subset(Bitboard points, int count, Bitboard chosen, const Visit& visit) {
  if (count == 0) return visit(chosen);
  while (points) {
    const Point point = pop_lowest(points);
    for_each_subset(points, count - 1, chosen | bit(point), visit);
  }
}

// Classes of boards with goats to move, none in hand, and no goat step.
std::set<std::uint64_t> blocked_classes(int captured) {
  std::set<std::uint64_t> classes;
  for_each_subset(kAllPoints, 1 + captured, 0, [&](Bitboard empty) {
    // Every neighbour of an empty point must be empty or a tiger.
    Bitboard around = 0;
    for (Bitboard rest = empty; rest;) around |= neighbours(pop_lowest(rest));
    around &= ~empty;
    if (std::popcount(around) > kTigerCount) return;
    const int others = kTigerCount - std::popcount(around);
    for_each_subset(kAllPoints & ~(empty | around), others, around, [&](Bitboard tigers) {
      const Position position(tigers, kAllPoints & ~(tigers | empty), 0, captured, Side::Goat);
      ASSERT_EQ(count_board_legal_actions(position), 0);
      ASSERT_TRUE(naive::moves(naive::from_position(position)).empty());
      classes.insert(canonical(position).position.key());
    });
  });
  return classes;
}

TEST(BlockedGoats, ThirtyFourBoardsWithNoneCaptured) { EXPECT_EQ(blocked_classes(0).size(), 34U); }

TEST(BlockedGoats, OccurOnlyWithAtMostTwoCaptured) {
  EXPECT_GT(blocked_classes(1).size(), 0U);
  EXPECT_GT(blocked_classes(2).size(), 0U);
  EXPECT_EQ(blocked_classes(3).size(), 0U);
  EXPECT_EQ(blocked_classes(4).size(), 0U);
}

TEST(BlockedGoats, NoOtherBoardIsCountedAsBlocked) {
  // The other way round: every board with none or one captured, asked directly.
  for (const int captured : {0, 1}) {
    std::set<std::uint64_t> classes;
    for_each_subset(kAllPoints, kTigerCount, 0, [&](Bitboard tigers) {
      for_each_subset(kAllPoints & ~tigers, 1 + captured, 0, [&](Bitboard empty) {
        const Position position(tigers, kAllPoints & ~(tigers | empty), 0, captured, Side::Goat);
        if (count_board_legal_actions(position) == 0)
          classes.insert(canonical(position).position.key());
      });
    });
    EXPECT_EQ(classes, blocked_classes(captured));
  }
}

TEST(BlockedGoats, LoseTheGame) {
  int games = 0;
  for (const int captured : {0, 1, 2})
    for (const std::uint64_t key : blocked_classes(captured)) {
      const Game game({}, Position::from_key(key), 20);
      EXPECT_EQ(game.termination(), Termination::GoatsBlocked);
      EXPECT_EQ(game.outcome(), Outcome::TigersWin);
      ++games;
    }
  EXPECT_GT(games, 34);
}

}  // namespace
}  // namespace baghzero
