#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "engine/position.h"
#include "tests/engine/support.h"
#include "tests/support/table.h"

namespace baghzero {
namespace {

using namespace testing_support;

std::array<int, kPointCount> map_of(int symmetry) {
  std::array<int, kPointCount> map{};
  for (int p = 0; p < kPointCount; ++p) map[p] = apply_symmetry(symmetry, static_cast<Point>(p));
  return map;
}

TEST(Symmetry, AreTheEightOfTheSquare) {
  // Rotations by quarter turns, each also mirrored, in plain coordinates.
  std::set<std::array<int, kPointCount>> expected;
  for (int turns = 0; turns < 4; ++turns)
    for (const bool mirror : {false, true}) {
      std::array<int, kPointCount> map{};
      for (int row = 0; row < 5; ++row)
        for (int column = 0; column < 5; ++column) {
          int r = row;
          int c = mirror ? 4 - column : column;
          for (int t = 0; t < turns; ++t) {
            const int old_row = r;
            r = c;
            c = 4 - old_row;
          }
          map[5 * row + column] = 5 * r + c;
        }
      expected.insert(map);
    }
  std::set<std::array<int, kPointCount>> found;
  for (int s = 0; s < kSymmetryCount; ++s) found.insert(map_of(s));
  EXPECT_EQ(found.size(), 8U);
  EXPECT_EQ(found, expected);
}

TEST(Symmetry, FormAGroup) {
  for (int p = 0; p < kPointCount; ++p)
    EXPECT_EQ(apply_symmetry(0, static_cast<Point>(p)), p) << "symmetry 0 is the identity";
  for (int a = 0; a < kSymmetryCount; ++a) {
    const int inverse = inverse_symmetry(a);
    EXPECT_EQ(inverse_symmetry(inverse), a);
    for (int p = 0; p < kPointCount; ++p)
      EXPECT_EQ(apply_symmetry(inverse, apply_symmetry(a, static_cast<Point>(p))), p);
    for (int b = 0; b < kSymmetryCount; ++b) {
      std::array<int, kPointCount> product{};
      for (int p = 0; p < kPointCount; ++p)
        product[p] = apply_symmetry(b, apply_symmetry(a, static_cast<Point>(p)));
      int matches = 0;
      for (int c = 0; c < kSymmetryCount; ++c) matches += product == map_of(c) ? 1 : 0;
      EXPECT_EQ(matches, 1);
    }
  }
}

TEST(Symmetry, MapTheActionsOntoThemselves) {
  for (int s = 0; s < kSymmetryCount; ++s) {
    std::set<int> images;
    for (int a = 0; a < kActionCount; ++a) {
      const auto action = static_cast<Action>(a);
      const Action image = apply_symmetry_to_action(s, action);
      ASSERT_LT(image, kActionCount);
      images.insert(image);
      EXPECT_EQ(apply_symmetry_to_action(inverse_symmetry(s), image), action);
      const ActionInfo& before = action_info(action);
      const ActionInfo& after = action_info(image);
      EXPECT_EQ(before.kind, after.kind);
      EXPECT_EQ(apply_symmetry(s, before.to), after.to);
      if (before.from != kNoPoint) {
        EXPECT_EQ(apply_symmetry(s, before.from), after.from);
      }
      if (before.over != kNoPoint) {
        EXPECT_EQ(apply_symmetry(s, before.over), after.over);
      }
    }
    EXPECT_EQ(images.size(), static_cast<std::size_t>(kActionCount));
  }
}

TEST(Symmetry, BoardsAreMappedPointByPoint) {
  Random random(31);
  for (int i = 0; i < 20'000; ++i) {
    const auto board = static_cast<Bitboard>(random()) & kAllPoints;
    for (int s = 0; s < kSymmetryCount; ++s) {
      Bitboard image = 0;
      for (Bitboard rest = board; rest;) image |= bit(apply_symmetry(s, pop_lowest(rest)));
      ASSERT_EQ(apply_symmetry_to_board(s, board), image);
    }
  }
  EXPECT_EQ(apply_symmetry_to_board(5, kTigerStart), kTigerStart);
}

TEST(Symmetry, LegalMovesAndTheirResultsCommute) {
  Random random(32);
  for (int i = 0; i < 50'000; ++i) {
    const Position position = random_position(random);
    for (int s = 0; s < kSymmetryCount; ++s) {
      const Position image = apply_symmetry(s, position);
      ActionSet expected;
      for (const Action action : board_legal_actions(position)) {
        const Action mapped = apply_symmetry_to_action(s, action);
        expected.set(mapped);
        ASSERT_EQ(image.after(mapped), apply_symmetry(s, position.after(action)));
      }
      ASSERT_EQ(board_legal_set(image), expected);
    }
  }
}

TEST(Symmetry, CanonicalPositionsNameTheirClass) {
  Random random(33);
  for (int i = 0; i < 50'000; ++i) {
    const Position position = random_position(random);
    const Canonical best = canonical(position);
    ASSERT_EQ(apply_symmetry(best.symmetry, position), best.position);
    for (int s = 0; s < kSymmetryCount; ++s) {
      const Position image = apply_symmetry(s, position);
      ASSERT_EQ(canonical(image).position, best.position);
      ASSERT_LE(best.position.key(), image.key());
    }
  }
}

// Placements of `tigers` and `goats` on the board up to symmetry, by Burnside's lemma: the mean
// number of placements that a symmetry leaves as they are.
std::int64_t classes(int tigers, int goats) {
  std::int64_t fixed = 0;
  for (int s = 0; s < kSymmetryCount; ++s) {
    // ways[t][g]: choices of whole cycles of points that hold t tigers and g goats.
    std::array<std::array<std::int64_t, 26>, 26> ways{};
    ways[0][0] = 1;
    Bitboard seen = 0;
    for (int p = 0; p < kPointCount; ++p) {
      int length = 0;
      for (auto q = static_cast<Point>(p); !(seen & bit(q)); q = apply_symmetry(s, q)) {
        seen |= bit(q);
        ++length;
      }
      if (length == 0) continue;
      for (int t = tigers; t >= 0; --t)
        for (int g = goats; g >= 0; --g)
          ways[t][g] +=
              (t >= length ? ways[t - length][g] : 0) + (g >= length ? ways[t][g - length] : 0);
    }
    fixed += ways[tigers][goats];
  }
  EXPECT_EQ(fixed % kSymmetryCount, 0);
  return fixed / kSymmetryCount;
}

TEST(Symmetry, MovementPhasePositionsArePublishedInNumber) {
  std::int64_t total = 0;
  int rows = 0;
  for (const auto& row : test::read_table("movement_totals.csv")) {
    const std::int64_t count = classes(kTigerCount, 20 - std::stoi(row.at(0)));
    EXPECT_EQ(count, std::stoll(row.at(2))) << row.at(0) << " captured";
    total += count;
    ++rows;
  }
  EXPECT_EQ(rows, 10);
  EXPECT_EQ(total, 88'260'972) << "Lim and Nievergelt";
}

TEST(Symmetry, EnumeratedClassesWithoutACapture) {
  std::set<std::uint64_t> found;
  for (Bitboard tigers = 0b1111; tigers <= kAllPoints;) {
    for (Bitboard free = kAllPoints & ~tigers; free; free &= free - 1) {
      const Bitboard empty = free & -free;
      const Position position(tigers, kAllPoints & ~(tigers | empty), 0, 0, Side::Goat);
      found.insert(canonical(position).position.key());
    }
    // The next larger number with as many bits (Gosper).
    const Bitboard low = tigers & -tigers;
    const Bitboard ripple = tigers + low;
    tigers = ripple | ((tigers ^ ripple) >> 2) / low;
  }
  EXPECT_EQ(found.size(), 33'481U);
}

}  // namespace
}  // namespace baghzero
