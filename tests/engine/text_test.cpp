#include "engine/text.h"

#include <gtest/gtest.h>

namespace baghzero {
namespace {

TEST(Text, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(grouped(-100), "-100");
  EXPECT_EQ(grouped(-1'000), "-1,000");
}

TEST(Text, OneIsSingular) {
  EXPECT_EQ(counted(1, "worker"), "1 worker");
  EXPECT_EQ(counted(0, "worker"), "0 workers");
  EXPECT_EQ(counted(1'200, "game"), "1,200 games");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

TEST(Text, SharesAndSignedNumbers) {
  EXPECT_EQ(percent(0.625), "62.5 %");
  EXPECT_EQ(percent(1, 0), "100 %");
  EXPECT_EQ(decimal(3.14159, 2), "3.14");
  EXPECT_EQ(decimal(7, 0, true), "+7");
}

TEST(Text, LinesBecomeOne) {
  EXPECT_EQ(on_one_line("plain"), "plain");
  EXPECT_EQ(on_one_line("first\nsecond\r\n\nthird\n"), "first; second; third");
  EXPECT_EQ(on_one_line("missing:\nthis"), "missing: this");
}

TEST(Text, NearestNameIsNearOrNothing) {
  const std::vector<std::string> names = {"visits", "batch", "seed"};
  EXPECT_EQ(nearest_name("visit", names), "visits");
  EXPECT_EQ(nearest_name("vists", names), "visits");
  EXPECT_EQ(nearest_name("elephant", names), "");
  EXPECT_EQ(nearest_name("", names), "");
}

}  // namespace
}  // namespace baghzero
