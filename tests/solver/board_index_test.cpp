#include "engine/solver/board_index.h"

#include <gtest/gtest.h>

#include "engine/random.h"
#include "engine/solver/index_permutation.h"

namespace baghzero {
namespace {

TEST(BoardIndex, RanksAreDenseAndInvertible) {
  for (int size = 1; size <= kFreePoints; ++size)
    for (std::uint32_t rank = 0; rank < kBinomials[kFreePoints][size]; ++rank) {
      const std::uint32_t set = set_of_rank(rank, size);
      ASSERT_EQ(std::popcount(set), size);
      ASSERT_EQ(rank_of_set(set), rank);
    }
}

// Burnside's count of four-point sets under the eight symmetries of the square grid.
TEST(BoardIndex, ThereAre1666TigerClasses) { EXPECT_EQ(TigerClasses::instance().count(), 1666); }

TEST(BoardIndex, LocationsMapOntoTheRepresentative) {
  const TigerClasses& classes = TigerClasses::instance();
  for (std::uint32_t rank = 0; rank < kBinomials[kPointCount][kTigerCount]; ++rank) {
    const Bitboard tigers = set_of_rank(rank, kTigerCount);
    const auto location = classes.locate(tigers);
    ASSERT_EQ(apply_symmetry_to_board(location.symmetry, tigers),
              classes.representative(location.tiger_class));
  }
}

TEST(BoardIndex, SymmetricBoardsShareTheirSmallestImage) {
  const TigerClasses& classes = TigerClasses::instance();
  Random random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    const Bitboard tigers = set_of_rank(random.below(12650), kTigerCount);
    const Bitboard goats = static_cast<Bitboard>(random()) & kAllPoints & ~tigers;
    const auto location = classes.locate(tigers);
    const FreeMask mask =
        classes.smallest_image(location.tiger_class, classes.to_free(location, goats));
    for (int symmetry = 0; symmetry < kSymmetryCount; ++symmetry) {
      const auto other = classes.locate(apply_symmetry_to_board(symmetry, tigers));
      ASSERT_EQ(other.tiger_class, location.tiger_class);
      ASSERT_EQ(
          classes.smallest_image(other.tiger_class,
                                 classes.to_free(other, apply_symmetry_to_board(symmetry, goats))),
          mask);
    }
  }
}

TEST(BoardIndex, PermutesIndexBits) {
  Random random(11);
  std::vector<Verdicts> source(std::size_t{1} << (kFreePoints - kWordIndexBits));
  std::vector<Verdicts> scratch(source.size());
  for (auto& word : source) word = {random(), random()};
  for (int trial = 0; trial < 20; ++trial) {
    std::array<std::uint8_t, kFreePoints> source_bit;
    for (std::uint8_t i = 0; i < kFreePoints; ++i) source_bit[i] = i;
    for (std::uint32_t i = kFreePoints - 1; i > 0; --i)
      std::swap(source_bit[i], source_bit[random.below(i + 1)]);
    const IndexPermutation permutation(source_bit);
    const auto prepared = permutation.prepare(source, scratch);
    for (int check = 0; check < 2000; ++check) {
      const std::uint32_t index = random.below(1U << kFreePoints);
      std::uint32_t from = 0;
      for (int i = 0; i < kFreePoints; ++i)
        if (index >> i & 1) from |= 1U << source_bit[i];
      Verdicts word = prepared[permutation.source_word(index / 64)];
      permutation.permute_within(std::span(&word, 1));
      ASSERT_EQ(word.tigers_win >> (index % 64) & 1,
                source[from / 64].tigers_win >> (from % 64) & 1);
      ASSERT_EQ(word.goats_win >> (index % 64) & 1, source[from / 64].goats_win >> (from % 64) & 1);
    }
  }
}

}  // namespace
}  // namespace baghzero
