// Memory is taken per move and per game, never per leaf or per batch.
#include <gtest/gtest.h>

#include "selfplay/self_play.h"
#include "stand_in.h"
#include "tests/support/allocation_count.h"

namespace baghzero {
namespace {

class ForgettingSink final : public GameSink {
 public:
  void put(GameRecord) override {}
};

TEST(SelfPlayAllocation, NothingPerLeaf) {
  for (const bool cached : {false, true}) {
    SelfPlaySetup setup;
    setup.settings = quick_settings();
    setup.settings.full_visits = setup.settings.cheap_visits = 300;
    setup.network = stand_in_network(0);
    setup.make_evaluator = [](const NetworkPtr&) {
      return std::make_unique<ArbitraryEvaluator>(0, 4);
    };
    if (cached) setup.cache = std::make_shared<EvaluationCache>(1 << 12);
    ForgettingSink sink;
    SelfPlay self_play(setup, sink);
    self_play.start({4, Unfinished::Keep});  // every slot gets its tree
    self_play.wait();

    const SelfPlayCounters before = self_play.counters();
    const std::int64_t allocations_before = allocation_count();
    self_play.start({12, Unfinished::Keep});
    self_play.wait();
    const SelfPlayCounters played = self_play.counters() - before;
    // A move's record with its policy, growing lists, and what a game starts and ends with.
    const auto allocations = static_cast<std::uint64_t>(allocation_count() - allocations_before);
    EXPECT_LT(allocations, 4 * played.moves + 60 * played.games + 200);
    EXPECT_GT(played.rows + played.cache_hits, 50 * played.moves);
    EXPECT_GT(played.batches, 10 * played.moves);
  }
}

}  // namespace
}  // namespace baghzero
