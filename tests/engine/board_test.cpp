#include "engine/board.h"

#include <set>

#include "engine/notation.h"
#include "tests/engine/support.h"

namespace baghzero {
namespace {

using namespace testing_support;

std::vector<std::string> neighbour_names(const char* point) {
  return point_names(neighbours(static_cast<Point>(std::countr_zero(points_bitboard(point)))));
}

TEST(Board, NeighboursFollowTheLines) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(neighbour_names("11"), (Names{"12", "21", "22"}));
  EXPECT_EQ(neighbour_names("12"), (Names{"11", "13", "22"}));
  EXPECT_EQ(neighbour_names("13"), (Names{"12", "14", "22", "23", "24"}));
  EXPECT_EQ(neighbour_names("22"), (Names{"11", "12", "13", "21", "23", "31", "32", "33"}));
  EXPECT_EQ(neighbour_names("23"), (Names{"13", "22", "24", "33"}));
  EXPECT_EQ(neighbour_names("33"), (Names{"22", "23", "24", "32", "34", "42", "43", "44"}));
  EXPECT_EQ(neighbour_names("55"), (Names{"44", "45", "54"}));
}

TEST(Board, LinesRunBothWaysAndDiagonalsOnlyFromEvenPoints) {
  int steps = 0;
  for (int p = 0; p < kPointCount; ++p)
    for (int q = 0; q < kPointCount; ++q) {
      const auto from = static_cast<Point>(p);
      const auto to = static_cast<Point>(q);
      const int down = std::abs(row_of(from) - row_of(to));
      const int right = std::abs(column_of(from) - column_of(to));
      const bool even = (row_of(from) + column_of(from)) % 2 == 0;
      const bool joined = down + right == 1 || (down == 1 && right == 1 && even);
      EXPECT_EQ((neighbours(from) & bit(to)) != 0, joined);
      EXPECT_EQ(step_action(from, to) != kNoAction, joined);
      steps += joined ? 1 : 0;
    }
  EXPECT_EQ(steps, kStepCount);
}

TEST(Board, JumpsGoTwoPointsAlongALine) {
  int jumps = 0;
  for (int p = 0; p < kPointCount; ++p)
    for (int q = 0; q < kPointCount; ++q) {
      const auto from = static_cast<Point>(p);
      const auto landing = static_cast<Point>(q);
      const int down = row_of(landing) - row_of(from);
      const int right = column_of(landing) - column_of(from);
      const bool straight = (std::abs(down) == 2 && (right == 0 || std::abs(right) == 2)) ||
                            (down == 0 && std::abs(right) == 2);
      const bool diagonal = down != 0 && right != 0;
      const bool exists = straight && (!diagonal || (row_of(from) + column_of(from)) % 2 == 0);
      EXPECT_EQ(jump_action(from, landing) != kNoAction, exists);
      if (!exists) continue;
      ++jumps;
      const auto over = static_cast<Point>((p + q) / 2);
      EXPECT_EQ(jump_landing(from, over), landing);
      EXPECT_EQ(action_info(jump_action(from, landing)).over, over);
    }
  EXPECT_EQ(jumps, kJumpCount);
}

TEST(Board, ActionsAreNumberedPlacementsStepsJumps) {
  std::set<std::tuple<int, int, int>> distinct;
  for (int a = 0; a < kActionCount; ++a) {
    const auto action = static_cast<Action>(a);
    const ActionInfo& info = action_info(action);
    distinct.insert({static_cast<int>(info.kind), info.from, info.to});
    EXPECT_EQ(info.kind == ActionKind::Placement, is_placement(action));
    EXPECT_EQ(info.kind == ActionKind::Jump, is_jump(action));
    EXPECT_EQ(info.from == kNoPoint, is_placement(action));
    EXPECT_EQ(info.over == kNoPoint, !is_jump(action));
    if (is_placement(action)) {
      EXPECT_EQ(placement_action(info.to), action);
    } else if (is_jump(action)) {
      EXPECT_EQ(jump_action(info.from, info.to), action);
    } else {
      EXPECT_EQ(step_action(info.from, info.to), action);
    }
  }
  EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kActionCount));
}

TEST(Board, DirectionsAreEightForStepsAndEightForJumps) {
  EXPECT_EQ(kStepGroups.count, 8);
  EXPECT_EQ(kJumpGroups.count, 8);
  std::set<std::pair<int, int>> of_steps;
  for (int a = kPointCount; a < kActionCount; ++a) {
    const auto action = static_cast<Action>(a);
    const ActionInfo& info = action_info(action);
    const int direction = direction_of(action);
    ASSERT_GE(direction, 0);
    ASSERT_LT(direction, 8);
    const auto& groups = is_jump(action) ? kJumpGroups : kStepGroups;
    const ShiftGroup& group = groups.groups[direction];
    EXPECT_TRUE(group.origins & bit(info.from));
    EXPECT_EQ(info.from + group.over_shift, is_jump(action) ? info.over : info.to);
    if (is_jump(action)) {
      EXPECT_EQ(info.over + group.land_shift, info.to);
    } else {
      EXPECT_TRUE(of_steps.insert({info.from, direction}).second) << "one step per direction";
    }
  }
  for (int p = 0; p < kPointCount; ++p) EXPECT_EQ(direction_of(static_cast<Action>(p)), 0);
}

TEST(Board, PointsAreNamedByRowAndColumn) {
  EXPECT_EQ(point_name(0), "11");
  EXPECT_EQ(point_name(4), "15");
  EXPECT_EQ(point_name(12), "33");
  EXPECT_EQ(point_name(24), "55");
  EXPECT_EQ(points_bitboard("11 33 55"), bit(0) | bit(12) | bit(24));
}

}  // namespace
}  // namespace baghzero
