#include "training/memory.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"

namespace baghzero {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

constexpr std::int64_t kGibibyte = 1 << 30;

TEST(Memory, NeedGrowsWithWhatIsConfigured) {
  RunConfig config;
  config.selfplay.workers = 2;
  config.selfplay.slots_per_worker = 100;
  const MemoryNeed need = memory_need(config);
  EXPECT_GT(need.games, 0);
  EXPECT_EQ(need.cache, config.inference.cache_entries * 192);
  RunConfig twice = config;
  twice.selfplay.slots_per_worker = 200;
  EXPECT_EQ(memory_need(twice).games, 2 * need.games);
  twice.selfplay.workers = 6;
  EXPECT_EQ(memory_need(twice).games, 6 * need.games);
  twice.selfplay.full_visits = 2 * config.selfplay.full_visits;
  EXPECT_GT(memory_need(twice).games, 6 * need.games);
}

TEST(Memory, WhatCannotFitIsRefusedWithWhatToLower) {
  RunConfig config;
  EXPECT_NO_THROW(check_memory(config, 24 * kGibibyte));
  config.selfplay.workers = 1024;
  config.selfplay.slots_per_worker = 65536;
  EXPECT_THAT(message_of([&] { check_memory(config, 24 * kGibibyte); }),
              AllOf(HasSubstr("but there are 24.0 GiB"), HasSubstr("selfplay.slots_per_worker")));
  config = {};
  config.training.window_max_rows = 1'000'000'000;
  EXPECT_THAT(message_of([&] { check_memory(config, 24 * kGibibyte); }),
              HasSubstr("lower training.window_max_rows"));
  config = {};
  config.inference.cache_entries = 1'000'000'000;
  EXPECT_THAT(message_of([&] { check_memory(config, 24 * kGibibyte); }),
              HasSubstr("lower inference.cache_entries"));
  EXPECT_GT(machine_memory_bytes(), peak_memory_bytes());
}

}  // namespace
}  // namespace baghzero
