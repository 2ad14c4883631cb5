// Memory is taken per move and per game, never per leaf or per batch.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "selfplay/self_play.h"
#include "stand_in.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

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
    const std::uint64_t allocations_before = allocations;
    self_play.start({12, Unfinished::Keep});
    self_play.wait();
    const SelfPlayCounters played = self_play.counters() - before;
    // A move's record with its policy, growing lists, and what a game starts and ends with.
    EXPECT_LT(allocations - allocations_before, 4 * played.moves + 60 * played.games + 200);
    EXPECT_GT(played.rows + played.cache_hits, 50 * played.moves);
    EXPECT_GT(played.batches, 10 * played.moves);
  }
}

}  // namespace
}  // namespace baghzero
