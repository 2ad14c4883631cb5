#include "engine/random.h"

#include <array>
#include <set>

#include "tests/engine/support.h"

namespace baghzero {
namespace {

TEST(Random, GivesTheNumbersOfTheAuthors) {
  // First outputs of xoshiro256++ from the state {1, 2, 3, 4}.
  Random random(Random::State{1, 2, 3, 4});
  for (const std::uint64_t expected :
       {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL, 9228616714210784205ULL})
    EXPECT_EQ(random(), expected);
}

TEST(Random, GoesOnFromItsState) {
  Random random(81);
  for (int i = 0; i < 10; ++i) random();
  Random copy(random.state());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random(), copy());
}

TEST(Random, StreamsAndSeedsDiffer) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (std::uint64_t stream = 0; stream < 100; ++stream) firsts.insert(Random(seed, stream)());
  EXPECT_EQ(firsts.size(), 10'000U);
}

TEST(Random, NumbersLieInTheirRange) {
  Random random(82);
  std::array<int, 7> counts{};
  double sum = 0;
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint32_t number = random.below(7);
    ASSERT_LT(number, 7U);
    ++counts[number];
    const double uniform = random.uniform();
    ASSERT_GE(uniform, 0.0);
    ASSERT_LT(uniform, 1.0);
    sum += uniform;
  }
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 7, 500);
  EXPECT_NEAR(sum / kDraws, 0.5, 0.01);
  EXPECT_EQ(random.below(1), 0U);
}

}  // namespace
}  // namespace baghzero
