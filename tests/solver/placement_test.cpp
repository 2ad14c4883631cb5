// The bit set operators of the placement phase against the naive rules.
#include "engine/solver/placement.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/random.h"
#include "engine/solver/packed_layer.h"
#include "engine/solver/probe.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

using test::position_of;

// Classes that a tiger move from this class leads to.
std::set<int> classes_after(int tiger_class) {
  const TigerClasses& classes = TigerClasses::instance();
  const Position position(classes.representative(tiger_class), 0, 0, 0, Side::Tiger);
  std::set<int> reached;
  // Without goats there are only steps; jumps are those over any other point.
  for (int action = kPointCount; action < kActionCount; ++action) {
    const ActionInfo& info = action_info(static_cast<Action>(action));
    if (!(position.tigers() & bit(info.from)) || position.tigers() & bit(info.to)) continue;
    reached.insert(classes.locate(position.tigers() ^ bit(info.from) ^ bit(info.to)).tiger_class);
  }
  return reached;
}

// Random verdicts, the same for all images of a board.
void fill_randomly(PlacementLayer& layer, int tiger_class, Random& random) {
  const TigerClasses& classes = TigerClasses::instance();
  const bool symmetric = !classes.stabiliser(tiger_class).empty();
  const ClassVerdicts verdicts = layer.verdicts(tiger_class);
  for (Verdicts& word : verdicts) {
    const std::uint64_t tigers = random() & random();
    word = {tigers, random() & ~tigers};
  }
  if (symmetric)
    for (FreeMask mask = 0; mask < kMaskBits; ++mask) {
      const FreeMask smallest = classes.smallest_image(tiger_class, mask);
      if (smallest == mask) continue;
      const std::uint64_t here = std::uint64_t{1} << (mask % 64);
      Verdicts& word = verdicts[mask / 64];
      const Verdicts& source = verdicts[smallest / 64];
      word.tigers_win &= ~here;
      word.goats_win &= ~here;
      if (source.tigers_win >> (smallest % 64) & 1) word.tigers_win |= here;
      if (source.goats_win >> (smallest % 64) & 1) word.goats_win |= here;
    }
}

FreeMask random_mask(int goats, Random& random) {
  FreeMask mask = 0;
  while (std::popcount(mask) < goats) mask |= FreeMask{1} << random.below(kFreePoints);
  return mask;
}

// Value for goats to move, two plies deep by the naive rules, from the verdicts of `later`.
int naive_rank(const naive::State& goats_turn, const PlacementLayer& later) {
  int best = -1;
  for (const std::string& placement : naive::moves(goats_turn)) {
    const naive::State tigers_turn = naive::after(goats_turn, placement);
    int worst = 1;
    for (const std::string& move : naive::moves(tigers_turn)) {
      const naive::State reached = naive::after(tigers_turn, move);
      const int rank = reached.captured == kSolvedCaptures
                           ? -1
                           : rank_for(Side::Goat, later.value(position_of(reached)));
      worst = std::min(worst, rank);
    }
    best = std::max(best, worst);
  }
  return best;
}

TEST(PlacementSolver, GoesBackAsTheNaiveRulesSay) {
  const TigerClasses& classes = TigerClasses::instance();
  Random random(3);
  PlacementScratch scratch;
  std::vector<Verdicts> solved(kMaskWords);
  for (int trial = 0; trial < 12; ++trial) {
    const int placed = static_cast<int>(random.below(kSolvedGoats - 1));
    // The classes with symmetries are few; every third trial takes one.
    int tiger_class = 0;
    do tiger_class = static_cast<int>(random.below(static_cast<std::uint32_t>(classes.count())));
    while (trial % 3 == 0 && classes.stabiliser(tiger_class).empty());
    PlacementLayer later;
    later.placed = placed + 1;
    for (const int reached : classes_after(tiger_class)) {
      fill_randomly(later, reached, random);
      mark_captured_out(later.verdicts(reached), later.placed);
    }
    const ClassVerdicts verdicts(solved.data(), kMaskWords);
    solve_class_before(later, tiger_class, scratch, verdicts);
    for (int sample = 0; sample < 300; ++sample) {
      const int captured = static_cast<int>(random.below(kSolvedCaptures));
      if (captured > placed) continue;
      const FreeMask goats = random_mask(placed - captured, random);
      const Position position(classes.representative(tiger_class),
                              classes.to_points(tiger_class, goats), kSolvedGoats - placed,
                              captured, Side::Goat);
      const int expected = naive_rank(naive::from_position(position), later);
      const bool tigers = verdicts[goats / 64].tigers_win >> (goats % 64) & 1;
      const bool goats_win = verdicts[goats / 64].goats_win >> (goats % 64) & 1;
      ASSERT_EQ(goats_win - tigers, expected) << format_fen(position, placed);
    }
  }
}

TEST(PlacementSolver, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  PlacementLayer later;
  PlacementLayer layer;
  later.placed = 7;
  EXPECT_FALSE(solve_placement_before(later, layer, {.stop = &stop}));
}

TEST(PackedLayer, GivesBackTheSetsThatOccur) {
  Random random(9);
  PlacementLayer layer;
  const int tiger_class = 100;
  fill_randomly(layer, tiger_class, random);
  const ConstClassVerdicts verdicts = std::as_const(layer).verdicts(tiger_class);
  std::vector<Verdicts> unpacked(kMaskWords);
  const ClassVerdicts back(unpacked.data(), kMaskWords);
  for (int placed = 0; placed < kSolvedGoats; ++placed) {
    std::vector<std::uint8_t> packed(packed_bytes(placed));
    pack_class(verdicts, placed, packed);
    unpack_class(packed, placed, back);
    for (int sample = 0; sample < 2000; ++sample) {
      const int captured = static_cast<int>(random.below(kSolvedCaptures));
      if (captured > placed) continue;
      const FreeMask goats = random_mask(placed - captured, random);
      const bool tigers = verdicts[goats / 64].tigers_win >> (goats % 64) & 1;
      const bool goats_win = verdicts[goats / 64].goats_win >> (goats % 64) & 1;
      const PackedPlace place = packed_place(placed, captured, goats);
      ASSERT_LT(place.byte, packed.size());
      ASSERT_EQ(packed_entry(packed[place.byte], place.shift), tigers      ? kPackedTigersWin
                                                               : goats_win ? kPackedGoatsWin
                                                                           : kPackedDraw);
      ASSERT_EQ(back[goats / 64].tigers_win >> (goats % 64) & 1, tigers);
      ASSERT_EQ(back[goats / 64].goats_win >> (goats % 64) & 1, goats_win);
    }
    // Fewer goats than that: five are captured, tigers have won.
    if (placed < kSolvedCaptures) continue;
    const FreeMask few = random_mask(placed - kSolvedCaptures, random);
    ASSERT_TRUE(back[few / 64].tigers_win >> (few % 64) & 1);
  }
}

}  // namespace
}  // namespace baghzero
