#include "engine/solver/share_interval.h"

#include <gtest/gtest.h>

namespace baghzero {
namespace {

// Brown, Cai, DasGupta 2001 give the formula; values by hand.
TEST(WilsonInterval, HoldsAtTheEdgesAndInBetween) {
  EXPECT_EQ(wilson_interval(0, 0).low, 0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
  EXPECT_NEAR(wilson_interval(0, 10).low, 0, 1e-12);
  EXPECT_NEAR(wilson_interval(0, 10).high, 0.2775, 1e-4);
  EXPECT_NEAR(wilson_interval(5, 10).low, 0.2366, 1e-4);
  EXPECT_NEAR(wilson_interval(5, 10).high, 0.7634, 1e-4);
}

void expect_equal(const ShareInterval& a, const ShareInterval& b) {
  EXPECT_NEAR(a.low, b.low, 1e-9);
  EXPECT_NEAR(a.high, b.high, 1e-9);
}

// Of every ten clusters three consist of hits and seven of misses: each tells as much as one trial.
TEST(ClusteredShare, CountsClustersThatAgreeInThemselvesOnceEach) {
  ClusteredShare share;
  for (int cluster = 0; cluster < 1000; ++cluster) share.add(cluster % 10 < 3 ? 8 : 0, 8);
  const ShareInterval expected = wilson_interval(300, 1000);
  EXPECT_NEAR(share.interval().low, expected.low, 1e-4);
  EXPECT_NEAR(share.interval().high, expected.high, 1e-4);
}

TEST(ClusteredShare, IsWilsonsIntervalForClustersOfOne) {
  ClusteredShare share;
  for (int trial = 0; trial < 1000; ++trial) share.add(trial % 4 == 0, 1);
  const ShareInterval expected = wilson_interval(250, 1000);
  EXPECT_NEAR(share.interval().low, expected.low, 1e-4);
  EXPECT_NEAR(share.interval().high, expected.high, 1e-4);
}

TEST(ClusteredShare, IsNeverSurerThanTheTrialsLet) {
  ClusteredShare share;
  for (int cluster = 0; cluster < 100; ++cluster) share.add(1, 4);  // without any variance
  expect_equal(share.interval(), wilson_interval(100, 400));
}

TEST(ClusteredShare, CountsClustersWhereNoVarianceCanBeSeen) {
  ClusteredShare none;
  for (int cluster = 0; cluster < 10; ++cluster) none.add(0, 20);
  none.add(0, 0);
  expect_equal(none.interval(), wilson_interval(0, 10));
  ClusteredShare one;
  one.add(1, 2);
  EXPECT_LT(one.interval().high - one.interval().low, 1);
  EXPECT_GT(one.interval().high - one.interval().low,
            wilson_interval(1, 2).high - wilson_interval(1, 2).low);
  expect_equal(ClusteredShare().interval(), {});
}

}  // namespace
}  // namespace baghzero
