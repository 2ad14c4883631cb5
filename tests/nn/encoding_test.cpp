#include "nn/encoding.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/nn/sample_networks.h"

namespace baghzero {
namespace {

// "11 15": any number of points by name.
Bitboard points(std::string_view names) {
  Bitboard board = 0;
  for (; !names.empty(); names.remove_prefix(std::min<std::size_t>(3, names.size())))
    board |= bit(static_cast<Point>((names[0] - '1') * 5 + names[1] - '1'));
  return board;
}

using Row = std::array<float, kInputSize>;

Row encoded(const Query& query) {
  Row row;
  row.fill(-1);
  encode(query, row);
  return row;
}

float at(const Row& row, Plane plane, Point point) {
  return row[point * kInputPlanes + static_cast<int>(plane)];
}

// The points on which a plane of zeros and ones is one.
Bitboard ones(const Row& row, Plane plane) {
  Bitboard found = 0;
  for (Point p = 0; p < kPointCount; ++p) {
    EXPECT_TRUE(at(row, plane, p) == 0 || at(row, plane, p) == 1) << static_cast<int>(plane);
    if (at(row, plane, p) == 1) found |= bit(p);
  }
  return found;
}

void expect_constant(const Row& row, Plane plane, float value) {
  for (Point p = 0; p < kPointCount; ++p)
    EXPECT_FLOAT_EQ(at(row, plane, p), value) << static_cast<int>(plane) << " at " << int{p};
}

Query board_query(const Position& position) { return {position, board_legal_actions(position), 0}; }

TEST(Encoding, TellsTheStart) {
  const Row row = encoded(make_query(Game()));
  EXPECT_EQ(ones(row, Plane::Tigers), points("11 15 51 55"));
  EXPECT_EQ(ones(row, Plane::Goats), 0U);
  EXPECT_EQ(ones(row, Plane::Empty), kAllPoints & ~kTigerStart);
  EXPECT_EQ(ones(row, Plane::Board), kAllPoints);
  EXPECT_EQ(ones(row, Plane::DiagonalPoints), points("11 13 15 22 24 31 33 35 42 44 51 53 55"));
  expect_constant(row, Plane::GoatToMove, 1);
  expect_constant(row, Plane::TigerToMove, 0);
  expect_constant(row, Plane::PlacementPhase, 1);
  expect_constant(row, Plane::GoatsInHand, 1);
  for (Plane plane : {Plane::Captured1, Plane::Captured2, Plane::Captured3, Plane::Captured4,
                      Plane::Captured, Plane::LimitProximity})
    expect_constant(row, plane, 0);
  EXPECT_EQ(ones(row, Plane::ImmobileTigers), 0U);
  // A tiger in a corner jumps along its row, its column and its diagonal.
  EXPECT_EQ(ones(row, Plane::ExposedPoints), points("12 21 22 14 24 25 41 42 52 44 45 54"));
  EXPECT_EQ(ones(row, Plane::ClosedPoints), 0U);
  EXPECT_EQ(ones(row, Plane::LegalOrigins), 0U);
  EXPECT_EQ(ones(row, Plane::LegalTargets), kAllPoints & ~kTigerStart);
  EXPECT_EQ(ones(row, Plane::BarredTargets), 0U);
}

// B G . . B    tigers to move, 3 goats in hand, 2 captured; 11 may take 12; 14 and 24 and 25 shut
// . . . . G    in the tiger on 15 as far as steps go.
TEST(Encoding, TellsThreatsAndCounts) {
  const Position position(kTigerStart, points("12 14 24 25"), 3, 2, Side::Tiger);
  const Row row = encoded(board_query(position));
  expect_constant(row, Plane::GoatToMove, 0);
  expect_constant(row, Plane::TigerToMove, 1);
  expect_constant(row, Plane::GoatsInHand, 0.15F);
  expect_constant(row, Plane::Captured1, 0);
  expect_constant(row, Plane::Captured2, 1);
  expect_constant(row, Plane::Captured, 0.1F);
  EXPECT_EQ(ones(row, Plane::CapturableGoats), points("12 14 24 25"));
  EXPECT_EQ(ones(row, Plane::CaptureLandings), points("13 33 35"));
  EXPECT_EQ(ones(row, Plane::ImmobileTigers), 0U);
  EXPECT_EQ(ones(row, Plane::LegalOrigins), kTigerStart);
  EXPECT_EQ(ones(row, Plane::LegalTargets), points("13 33 35 21 22 41 42 52 44 45 54"));
}

TEST(Encoding, TellsClosedPointsAndBlockedTigers) {
  // The tiger on 11 is walled in two deep; goats shut off 15 and 23.
  const Position position(points("11 51 53 55"), points("12 13 21 22 31 33 14 24 25"), 0, 4,
                          Side::Goat);
  const Row row = encoded(board_query(position));
  EXPECT_EQ(ones(row, Plane::ImmobileTigers), bit(0));
  EXPECT_EQ(ones(row, Plane::ClosedPoints), points("15 23"));
  expect_constant(row, Plane::Captured3, 0);
  expect_constant(row, Plane::Captured4, 1);
  expect_constant(row, Plane::PlacementPhase, 0);
}

TEST(Encoding, TellsWhatRepetitionBars) {
  Query query = board_query(Position(points("11 12 13 14"), points("53 55"), 0, 4, Side::Goat));
  const ActionList all = query.legal;
  query.legal.clear();
  const Action barred = step_action(22, 21);  // 53 to 52
  for (Action action : all)
    if (action != barred) query.legal.push_back(action);
  ASSERT_EQ(query.legal.size() + 1, all.size());
  const Row row = encoded(query);
  EXPECT_EQ(ones(row, Plane::BarredOrigins), points("53"));
  EXPECT_EQ(ones(row, Plane::BarredTargets), points("52"));
  EXPECT_EQ(ones(row, Plane::LegalTargets) & points("52"), 0U);
}

TEST(Encoding, TellsLimits) {
  Query query = make_query(Game());
  query.limit_proximity = 6;
  expect_constant(encoded(query), Plane::LimitProximity, 0.75F);
}

TEST(Encoding, CommutesWithSymmetries) {
  for (const Query& query : random_queries(500, 3)) {
    const Row row = encoded(query);
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
      const Row image = encoded(apply_symmetry(symmetry, query));
      for (Point p = 0; p < kPointCount; ++p)
        for (int plane = 0; plane < kInputPlanes; ++plane)
          ASSERT_EQ(image[apply_symmetry(symmetry, p) * kInputPlanes + plane],
                    row[p * kInputPlanes + plane])
              << kPlaneNames[plane] << " under symmetry " << symmetry;
    }
  }
}

TEST(Encoding, ExpandsIntoWiderRows) {
  const Query query = random_queries(40, 4).back();
  constexpr int kStride = kInputPlanes + 5;
  std::array<float, kPointCount * kStride> wide;
  wide.fill(-1);
  expand(plane_bits(query), wide, kStride);
  const Row row = encoded(query);
  for (int p = 0; p < kPointCount; ++p)
    for (int plane = 0; plane < kStride; ++plane)
      EXPECT_EQ(wide[p * kStride + plane],
                plane < kInputPlanes ? row[p * kInputPlanes + plane] : -1);
}

TEST(PolicyCells, AreDistinctAndLieWhereActionsBegin) {
  std::set<std::pair<int, int>> cells;
  for (int a = 0; a < kActionCount; ++a) {
    const auto action = static_cast<Action>(a);
    const PolicyCell cell = kPolicyCells[action];
    const ActionInfo& info = action_info(action);
    EXPECT_LT(cell.plane, kPolicyPlanes);
    EXPECT_EQ(cell.plane == 0, info.kind == ActionKind::Placement);
    EXPECT_EQ(cell.point, info.kind == ActionKind::Placement ? info.to : info.from);
    cells.emplace(cell.plane, cell.point);
  }
  EXPECT_EQ(cells.size(), std::size_t{kActionCount});
}

// What lets a convolution share weights: equal planes mean equal displacements.
TEST(PolicyCells, GroupActionsByDirection) {
  std::array<std::set<std::pair<int, int>>, kPolicyPlanes> displacements;
  for (int a = kPointCount; a < kActionCount; ++a) {
    const ActionInfo& info = action_info(static_cast<Action>(a));
    displacements[kPolicyCells[a].plane].emplace(row_of(info.to) - row_of(info.from),
                                                 column_of(info.to) - column_of(info.from));
  }
  for (int plane = 1; plane < kPolicyPlanes; ++plane)
    EXPECT_EQ(displacements[plane].size(), 1U) << plane;
}

}  // namespace
}  // namespace baghzero
