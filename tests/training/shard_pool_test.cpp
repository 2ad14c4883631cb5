#include "training/shard_pool.h"

#include <array>
#include <stdexcept>

#include <gtest/gtest.h>

namespace baghzero {
namespace {

TEST(ShardPool, EveryShardDoesItsPartEveryTime) {
  ShardPool pool(4);
  ASSERT_EQ(pool.shards(), 4);
  std::array<int, 4> counts{};
  for (int i = 0; i < 200; ++i) pool.run([&](int shard) { counts[shard] += shard + 1; });
  EXPECT_EQ(counts, (std::array<int, 4>{200, 400, 600, 800}));
}

TEST(ShardPool, OneShardRunsInTheCallingThread) {
  ShardPool pool(1);
  std::thread::id where;
  pool.run([&](int) { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(ShardPool, WaitsForAllBeforeItRethrows) {
  ShardPool pool(3);
  std::array<bool, 3> done{};
  for (const int failing : {0, 1, 2}) {
    done = {};
    EXPECT_THROW(pool.run([&](int shard) {
      done[shard] = true;
      if (shard == failing) throw std::runtime_error("no");
    }),
                 std::runtime_error);
    EXPECT_EQ(done, (std::array<bool, 3>{true, true, true}));
  }
  pool.run([&](int shard) { done[shard] = false; });
  EXPECT_EQ(done, (std::array<bool, 3>{}));
}

}  // namespace
}  // namespace baghzero
