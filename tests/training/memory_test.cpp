#include "training/memory.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

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

TEST(Memory, ControlGroupsAboveCountToo) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder.path() / file).parent_path());
    std::ofstream(folder.path() / file) << text;
  };
  const auto own = folder.path() / "own";
  const auto groups = [&] { return memory_groups(folder.path() / "groups", own); };
  write("own", "4:memory:/elsewhere\n0::/user/session\n");
  EXPECT_TRUE(groups().empty());
  write("groups/user/session/memory.max", "max\n");
  write("groups/user/session/memory.current", "700\n");
  write("groups/user/memory.max", "1000\n");
  write("groups/user/memory.current", "900\n");
  write("groups/user/memory.stat", "anon 500\ninactive_file 300\nactive_file 100\n");
  write("groups/memory.max", "5000\n");
  write("groups/memory.current", "1000\n");
  ASSERT_EQ(groups().size(), 2U);
  EXPECT_EQ(groups()[0].limit, 1000);
  EXPECT_EQ(groups()[0].used, 600);
  EXPECT_EQ(groups()[1].limit, 5000);
  // As a container sees itself.
  write("own", "0::/\n");
  ASSERT_EQ(groups().size(), 1U);
  EXPECT_EQ(groups()[0].used, 1000);
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
