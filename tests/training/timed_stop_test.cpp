#include "training/timed_stop.h"

#include <gtest/gtest.h>

namespace baghzero {
namespace {

using namespace std::chrono_literals;

void await(TimedStop& stop) {
  while (!stop.flag()) std::this_thread::sleep_for(1ms);
}

TEST(TimedStop, StopsWithTheOuterFlag) {
  std::atomic<bool> outer = false;
  TimedStop stop(outer, std::nullopt);
  EXPECT_FALSE(stop.flag());
  outer = true;
  await(stop);
  EXPECT_FALSE(stop.time_is_up());
}

TEST(TimedStop, StopsAtItsDeadlineAndLeavesTheOuterFlagAlone) {
  const std::atomic<bool> outer = false;
  TimedStop stop(outer, TimedStop::Clock::now() + 5ms);
  await(stop);
  EXPECT_TRUE(stop.time_is_up());
  EXPECT_FALSE(outer);
}

TEST(TimedStop, IsStoppedFromTheStartBehindItsDeadline) {
  const std::atomic<bool> outer = false;
  TimedStop stop(outer, TimedStop::Clock::now());
  EXPECT_TRUE(stop.flag());
  EXPECT_TRUE(stop.time_is_up());
}

TEST(TimedStop, StopsOnRequest) {
  const std::atomic<bool> outer = false;
  TimedStop stop(outer, TimedStop::Clock::now() + 24h);
  stop.request();
  EXPECT_TRUE(stop.flag());
  EXPECT_FALSE(stop.time_is_up());
}

}  // namespace
}  // namespace baghzero
