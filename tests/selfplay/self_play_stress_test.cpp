// The generator under random stalls, failures and stops: nothing hangs, nothing is lost or doubled.
// Made to run under ThreadSanitizer and AddressSanitizer as well.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "selfplay/benchmark.h"
#include "selfplay/self_play.h"
#include "selfplay/slot.h"
#include "stand_in.h"

namespace baghzero {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

void stall(Random& random) {
  const std::uint32_t kind = random.below(40);
  if (kind == 0)
    std::this_thread::sleep_for(microseconds(random.below(2000)));
  else if (kind < 10)
    std::this_thread::yield();
}

struct Failing final : std::runtime_error {
  explicit Failing(const char* who) : std::runtime_error(who) {}
};

// Stalls now and then; throws in the batch in which `fuse` reaches 0.
class UnsteadyEvaluator final : public Evaluator {
 public:
  UnsteadyEvaluator(std::uint64_t seed, std::uint64_t salt, int depth, std::atomic<int>& fuse)
      : random_(seed), salt_(salt), depth_(depth), fuse_(fuse), pending_(depth) {}
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    stall(random_);
    if (fuse_.fetch_sub(1) == 0) throw Failing("evaluator");
    for (std::size_t i = 0; i < queries.size(); ++i)
      evaluations[i] = arbitrary_evaluation(queries[i], salt_);
  }
  int max_batch() const override { return 5; }
  int in_flight() const override { return depth_; }
  void submit(int slot, std::span<const Query> queries, std::span<Evaluation> out) override {
    pending_[static_cast<std::size_t>(slot)] = {queries, out};
  }
  void wait(int slot) override {
    const auto [queries, out] = pending_[static_cast<std::size_t>(slot)];
    evaluate(queries, out);
  }

 private:
  Random random_;
  std::uint64_t salt_;
  int depth_;
  std::atomic<int>& fuse_;
  std::vector<std::pair<std::span<const Query>, std::span<Evaluation>>> pending_;
};

class UnsteadySink final : public GameSink {
 public:
  explicit UnsteadySink(std::uint64_t seed, int fuse) : random_(seed), fuse_(fuse) {}
  void put(GameRecord record) override {
    EXPECT_EQ(busy_.fetch_add(1), 0) << "two threads wrote at once";
    stall(random_);
    if (--fuse_ == 0) throw Failing("sink");
    EXPECT_TRUE(seeds_.insert(record.seed).second) << "a game was written twice";
    EXPECT_TRUE(replay(record).over());
    ++games_;
    --busy_;
  }
  int games() const { return games_; }
  const std::set<std::uint64_t>& seeds() const { return seeds_; }

 private:
  Random random_;
  int fuse_;
  std::atomic<int> busy_ = 0;
  std::atomic<int> games_ = 0;
  std::set<std::uint64_t> seeds_;
};

constexpr int kNever = 1 << 30;

struct Fuses {
  std::atomic<int> evaluator = kNever;
  std::atomic<int> factory = kNever;
};

SelfPlaySetup unsteady_setup(Random& random, Fuses& fuses) {
  SelfPlaySetup setup;
  setup.settings = quick_settings();
  setup.settings.workers = 1 + static_cast<int>(random.below(4));
  setup.settings.slots_per_worker = 1 + static_cast<int>(random.below(12));
  setup.settings.full_visits = 6;
  setup.settings.cheap_visits = 2;
  setup.settings.seed = random();
  setup.ordered = random.below(2) == 0;
  setup.network = stand_in_network(0);
  if (random.below(2) == 0) setup.cache = std::make_shared<EvaluationCache>(1 << 10);
  const int depth = 1 + static_cast<int>(random.below(3));
  setup.make_evaluator = [&fuses, depth, seed = random()](const NetworkPtr& network) {
    if (fuses.factory.fetch_sub(1) == 0) throw Failing("factory");
    return std::make_unique<UnsteadyEvaluator>(seed, network->identity(), depth, fuses.evaluator);
  };
  return setup;
}

int rounds() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 40;
#else
  return 120;
#endif
}

TEST(SelfPlayStress, PhasesStopsAndNetworkChangesAtAnyTime) {
  Random random(1);
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE(round);
    Fuses fuses;
    const SelfPlaySetup setup = unsteady_setup(random, fuses);
    UnsteadySink sink(random(), kNever);
    SelfPlay self_play(setup, sink);
    int generation = 0;
    for (int phase = 0; phase < 4; ++phase) {
      const int before = sink.games();
      const bool bounded = random.below(2) == 0;
      const PhaseGoal goal{bounded ? 1 + random.below(12) : 0,
                           random.below(2) == 0 ? Unfinished::Keep : Unfinished::Finish};
      self_play.start(goal);
      const int interruptions = static_cast<int>(random.below(4));
      for (int i = 0; i < interruptions; ++i) {
        self_play.wait(milliseconds(random.below(3)));
        self_play.set_network(stand_in_network(++generation));
        (void)self_play.counters();
      }
      const bool stopped = !bounded || random.below(4) == 0;
      const Unfinished how = random.below(2) == 0 ? Unfinished::Keep : Unfinished::Finish;
      if (stopped) self_play.stop(how);
      self_play.wait();
      if (!stopped && goal.unfinished == Unfinished::Keep) {
        EXPECT_EQ(sink.games() - before, goal.games);
      }
      if (!stopped && goal.unfinished == Unfinished::Finish) {
        EXPECT_GE(sink.games() - before, goal.games);
        EXPECT_EQ(static_cast<std::uint64_t>(sink.games()), self_play.next_game());
      }
    }
    self_play.start({0, Unfinished::Finish});
    self_play.stop(Unfinished::Finish);
    self_play.wait();
    EXPECT_EQ(static_cast<std::uint64_t>(sink.games()), self_play.next_game());
    for (std::uint64_t game = 0; game < self_play.next_game(); ++game)
      EXPECT_TRUE(sink.seeds().contains(game_seed(setup.settings.seed, game)));
    EXPECT_EQ(self_play.counters().games, static_cast<std::uint64_t>(sink.games()));
  }
}

TEST(SelfPlayStress, FailuresEndThePhaseAndReachTheCaller) {
  Random random(2);
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE(round);
    Fuses fuses;
    const SelfPlaySetup setup = unsteady_setup(random, fuses);
    const std::uint32_t culprit = random.below(3);
    const int delay = static_cast<int>(random.below(60));
    if (culprit == 0) fuses.evaluator = delay;
    if (culprit == 1) fuses.factory = delay % (setup.settings.workers + 2);
    UnsteadySink sink(random(), culprit == 2 ? 1 + delay / 4 : kNever);
    SelfPlay self_play(setup, sink);
    self_play.start({random.below(2) == 0 ? 0 : 100000, Unfinished::Keep});
    std::string who;
    try {
      for (int generation = 1;; ++generation) {
        self_play.set_network(stand_in_network(generation));
        ASSERT_FALSE(self_play.wait(milliseconds(2))) << "a phase without end is over";
      }
    } catch (const Failing& failure) {
      who = failure.what();
    }
    EXPECT_EQ(who, culprit == 0 ? "evaluator" : culprit == 1 ? "factory" : "sink");
    EXPECT_THROW(self_play.wait(), Failing);
    EXPECT_THROW(self_play.start({}), Failing);
    if (culprit != 2) {
      EXPECT_EQ(self_play.counters().games, static_cast<std::uint64_t>(sink.games()));
    }
  }
}

TEST(SelfPlayStress, MayBeDestroyedAtAnyTime) {
  Random random(3);
  for (int round = 0; round < rounds(); ++round) {
    Fuses fuses;
    if (random.below(3) == 0) fuses.evaluator = static_cast<int>(random.below(100));
    const SelfPlaySetup setup = unsteady_setup(random, fuses);
    UnsteadySink sink(random(), random.below(3) == 0 ? 3 : kNever);
    SelfPlay self_play(setup, sink);
    if (random.below(8) == 0) continue;
    self_play.start({random.below(10), Unfinished::Finish});
    std::this_thread::sleep_for(microseconds(random.below(3000)));
  }
}

TEST(SelfPlayStress, AStopFromAnotherThreadIsHeard) {
  Random random(4);
  for (int round = 0; round < rounds(); ++round) {
    Fuses fuses;
    const SelfPlaySetup setup = unsteady_setup(random, fuses);
    UnsteadySink sink(random(), kNever);
    SelfPlay self_play(setup, sink);
    self_play.start({});
    std::thread other([&, pause = random.below(2000)] {
      std::this_thread::sleep_for(microseconds(pause));
      self_play.stop(Unfinished::Finish);
      std::this_thread::yield();
      self_play.stop(Unfinished::Keep);
    });
    self_play.wait();
    other.join();
    EXPECT_EQ(self_play.counters().games, static_cast<std::uint64_t>(sink.games()));
  }
}

TEST(SelfPlayStress, TheBenchmarkMeasuresWhatItSays) {
  Random random(5);
  Fuses fuses;
  const SelfPlaySpeed speed = measure_self_play(unsteady_setup(random, fuses), 0.02, 0.1);
  EXPECT_GE(speed.seconds, 0.1);
  EXPECT_GT(speed.counters.rows, 0U);
  EXPECT_GT(speed.rows_per_second(), 0);
  EXPECT_LE(speed.counters.rows, 5 * speed.counters.batches);
}

}  // namespace
}  // namespace baghzero
