// The generator: phases, order, reproducibility, networks, batches, counters.
#include "selfplay/self_play.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selfplay/slot.h"
#include "stand_in.h"

namespace baghzero {
namespace {

using std::chrono::milliseconds;

SelfPlaySetup quick_setup(int workers = 1) {
  SelfPlaySetup setup;
  setup.settings = quick_settings();
  setup.settings.workers = workers;
  setup.network = stand_in_network(0);
  setup.make_evaluator = [](const NetworkPtr& network) {
    return std::make_unique<ArbitraryEvaluator>(network->identity(), 8);
  };
  return setup;
}

std::shared_ptr<EvaluationCache> make_cache() { return std::make_shared<EvaluationCache>(1 << 12); }

// One number per game, over everything that is stored of it.
std::vector<std::size_t> fingerprints(const std::vector<GameRecord>& games) {
  std::vector<std::size_t> result;
  result.reserve(games.size());
  for (const GameRecord& game : games) {
    const auto bytes = encode_game(game);
    result.push_back(
        std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  return result;
}

std::vector<std::size_t> play(const SelfPlaySetup& setup, const PhaseGoal& goal, int phases = 1) {
  CollectingSink sink;
  SelfPlay self_play(setup, sink);
  for (int phase = 0; phase < phases; ++phase) {
    self_play.start(goal);
    self_play.wait();
  }
  return fingerprints(sink.take());
}

std::vector<std::uint64_t> seeds_of(const std::vector<GameRecord>& games) {
  std::vector<std::uint64_t> seeds;
  seeds.reserve(games.size());
  for (const GameRecord& game : games) seeds.push_back(game.seed);
  return seeds;
}

std::vector<std::uint64_t> first_seeds(std::uint64_t run_seed, std::uint64_t count) {
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t index = 0; index < count; ++index) seeds.push_back(game_seed(run_seed, index));
  return seeds;
}

TEST(SelfPlay, APhaseThatFinishesPlaysExactlyItsGames) {
  for (const int workers : {1, 3})
    for (const int games : {1, 5, 40}) {
      CollectingSink sink;
      SelfPlay self_play(quick_setup(workers), sink);
      self_play.start({games, Unfinished::Finish});
      self_play.wait();
      auto seeds = seeds_of(sink.take());
      auto expected = first_seeds(7, static_cast<std::uint64_t>(games));
      EXPECT_THAT(seeds, testing::UnorderedElementsAreArray(expected));
      EXPECT_EQ(self_play.next_game(), static_cast<std::uint64_t>(games));
    }
}

TEST(SelfPlay, APhaseThatKeepsGamesHandsOverExactlyItsGames) {
  for (const int workers : {1, 3}) {
    CollectingSink sink;
    SelfPlay self_play(quick_setup(workers), sink);
    std::set<std::uint64_t> seen;
    for (int phase = 0; phase < 6; ++phase) {
      self_play.start({7, Unfinished::Keep});
      self_play.wait();
      const auto games = sink.take();
      EXPECT_EQ(games.size(), 7U);
      for (const std::uint64_t seed : seeds_of(games)) EXPECT_TRUE(seen.insert(seed).second);
    }
    // Half-played games survived: no more were started than finished or still in a slot.
    EXPECT_LE(self_play.next_game(), 42U + static_cast<unsigned>(workers) * 8);
    // And a last phase finishes them all.
    self_play.start({1, Unfinished::Finish});
    self_play.wait();
    for (const std::uint64_t seed : seeds_of(sink.take())) EXPECT_TRUE(seen.insert(seed).second);
    EXPECT_EQ(seen.size(), self_play.next_game());
  }
}

TEST(SelfPlay, OneWorkerIsDeterministic) {
  for (const Unfinished unfinished : {Unfinished::Keep, Unfinished::Finish}) {
    SelfPlaySetup setup = quick_setup();
    setup.cache = make_cache();
    const auto games = play(setup, {9, unfinished}, 4);
    setup.cache = make_cache();
    EXPECT_EQ(play(setup, {9, unfinished}, 4), games);
    setup.settings.seed = 8;
    EXPECT_NE(play(setup, {9, unfinished}, 4), games);
  }
}

TEST(SelfPlay, TheGamesDoNotDependOnWorkersSlotsBatchesOrCache) {
  const PhaseGoal goal{30, Unfinished::Finish};
  SelfPlaySetup setup = quick_setup();
  setup.ordered = true;
  const auto games = play(setup, goal);
  ASSERT_EQ(games.size(), 30U);

  SelfPlaySetup other = quick_setup(4);
  other.ordered = true;
  EXPECT_EQ(play(other, goal), games);
  other.settings.slots_per_worker = 3;
  other.cache = make_cache();
  EXPECT_EQ(play(other, goal), games);
  other.settings.slots_per_worker = 50;
  EXPECT_EQ(play(other, goal), games);  // the cache is warm now
}

TEST(SelfPlay, OrderedGamesArriveByIndex) {
  for (const Unfinished unfinished : {Unfinished::Keep, Unfinished::Finish}) {
    SelfPlaySetup setup = quick_setup(3);
    setup.ordered = true;
    CollectingSink sink;
    SelfPlay self_play(setup, sink);
    for (int phase = 0; phase < 3; ++phase) {
      self_play.start({25, unfinished});
      self_play.wait();
      const auto seeds = seeds_of(sink.take());
      const auto all = first_seeds(7, self_play.next_game());
      std::vector<std::ptrdiff_t> indices;
      for (const std::uint64_t seed : seeds)
        indices.push_back(std::ranges::find(all, seed) - all.begin());
      EXPECT_TRUE(std::ranges::is_sorted(indices));
    }
  }
}

TEST(SelfPlay, AResumedRunGoesOnWithItsNextGame) {
  const PhaseGoal goal{12, Unfinished::Finish};
  SelfPlaySetup setup = quick_setup();
  setup.ordered = true;
  const auto whole = play(setup, goal, 2);
  setup.first_game = 12;
  const auto rest = play(setup, goal);
  EXPECT_TRUE(std::ranges::equal(rest, std::span(whole).subspan(12)));
}

TEST(SelfPlay, RunsUntilStopped) {
  for (const Unfinished unfinished : {Unfinished::Keep, Unfinished::Finish}) {
    CollectingSink sink;
    SelfPlay self_play(quick_setup(2), sink);
    self_play.start({});
    while (self_play.counters().games < 20) EXPECT_FALSE(self_play.wait(milliseconds(1)));
    self_play.stop(unfinished);
    self_play.wait();
    const auto games = sink.take();
    EXPECT_GE(games.size(), 20U);
    EXPECT_EQ(self_play.counters().games, games.size());
    if (unfinished == Unfinished::Finish) {
      EXPECT_EQ(self_play.next_game(), games.size());
    }
  }
}

TEST(SelfPlay, ANewNetworkIsTakenUp) {
  SelfPlaySetup setup = quick_setup(2);
  setup.cache = make_cache();
  CollectingSink sink;
  SelfPlay self_play(setup, sink);
  self_play.start({20, Unfinished::Keep});
  self_play.wait();
  for (const GameRecord& game : sink.take()) EXPECT_EQ(game.last_generation, 0);

  self_play.set_network(stand_in_network(1));
  // Keep could leave the games of one worker where they are, if the other plays all that are asked
  // for.
  self_play.start({40, Unfinished::Finish});
  self_play.wait();
  int began_before = 0;
  for (const GameRecord& game : sink.take()) {
    began_before += game.first_generation == 0;
    EXPECT_LE(game.first_generation, game.last_generation);
    // Only the games whose last search was in its last batch can have ended under the old one.
    EXPECT_TRUE(game.last_generation == 1 || game.first_generation == 0);
  }
  EXPECT_GT(began_before, 0);
  EXPECT_LE(began_before, 16);
  // A worker takes it up with its next batch; the other may have played all the games by then.
  EXPECT_GE(self_play.counters().network_switches, 1U);
  EXPECT_LE(self_play.counters().network_switches, 2U);
}

// Every answer must come from the network that the slot believes in, also through the cache.
TEST(SelfPlay, GamesUnderANewNetworkAreAsIfThereHadBeenNoOther) {
  const PhaseGoal goal{15, Unfinished::Finish};
  SelfPlaySetup setup = quick_setup();
  setup.ordered = true;
  setup.network = stand_in_network(1);
  setup.first_game = 15;
  const auto expected = play(setup, goal);

  setup.network = stand_in_network(0);
  setup.first_game = 0;
  setup.cache = make_cache();
  CollectingSink sink;
  SelfPlay self_play(setup, sink);
  self_play.start(goal);
  self_play.wait();
  sink.take();
  self_play.set_network(stand_in_network(1));
  self_play.start(goal);
  self_play.wait();
  EXPECT_EQ(fingerprints(sink.take()), expected);
}

TEST(SelfPlay, CountersAddUp) {
  SelfPlaySetup setup = quick_setup(2);
  std::atomic<std::uint64_t> rows = 0;
  class Counting final : public ArbitraryEvaluator {
   public:
    explicit Counting(std::atomic<std::uint64_t>& rows) : ArbitraryEvaluator(1, 8), rows_(rows) {}
    void evaluate(std::span<const Query> queries, std::span<Evaluation> out) override {
      rows_ += queries.size();
      ArbitraryEvaluator::evaluate(queries, out);
    }

   private:
    std::atomic<std::uint64_t>& rows_;
  };
  setup.make_evaluator = [&](const NetworkPtr&) { return std::make_unique<Counting>(rows); };
  setup.cache = make_cache();
  CollectingSink sink;
  SelfPlay self_play(setup, sink);
  self_play.start({50, Unfinished::Finish});
  self_play.wait();

  const SelfPlayCounters counters = self_play.counters();
  SelfPlayCounters expected;
  for (const GameRecord& game : sink.take()) {
    ++expected.games;
    ++expected.outcomes[static_cast<std::size_t>(game.outcome)];
    ++expected.terminations[static_cast<std::size_t>(game.termination)];
    for (const MoveRecord& move : game.moves) {
      expected.moves += move.searched;
      expected.full_searches += move.full_search;
      expected.simulations += move.visits;
    }
  }
  EXPECT_EQ(counters.games, 50U);
  EXPECT_EQ(counters.outcomes, expected.outcomes);
  EXPECT_EQ(counters.terminations, expected.terminations);
  EXPECT_EQ(counters.moves, expected.moves);
  EXPECT_EQ(counters.full_searches, expected.full_searches);
  EXPECT_EQ(counters.simulations, expected.simulations);
  EXPECT_EQ(counters.rows, rows);
  EXPECT_EQ(counters.batch_capacity, 8 * counters.batches);
  EXPECT_GT(counters.cache_hits, 0U);
  EXPECT_GT(counters.batch_fill(), 0.3);
  EXPECT_LE(counters.batch_fill(), 1);
}

// Keeps batches in flight like a device: answers appear in wait() only, buffers must not move.
class PipelinedEvaluator final : public Evaluator {
 public:
  PipelinedEvaluator(int max_batch, int depth, std::atomic<int>& most_in_flight)
      : max_batch_(max_batch), batches_(static_cast<std::size_t>(depth)), most_(most_in_flight) {}
  ~PipelinedEvaluator() override {
    for (const Pending& batch : batches_) EXPECT_TRUE(batch.queries.empty());
  }
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    submit(0, queries, evaluations);
    wait(0);
  }
  int max_batch() const override { return max_batch_; }
  int in_flight() const override { return static_cast<int>(batches_.size()); }
  void submit(int slot, std::span<const Query> queries, std::span<Evaluation> out) override {
    Pending& batch = batches_.at(static_cast<std::size_t>(slot));
    EXPECT_TRUE(batch.queries.empty()) << "a slot was used twice";
    batch = {queries, out, {queries.begin(), queries.end()}};
    const int now = static_cast<int>(
        std::ranges::count_if(batches_, [](const Pending& b) { return !b.queries.empty(); }));
    most_ = std::max(most_.load(), now);
  }
  void wait(int slot) override {
    Pending& batch = batches_.at(static_cast<std::size_t>(slot));
    for (std::size_t i = 0; i < batch.queries.size(); ++i) {
      EXPECT_EQ(make_key(batch.queries[i]), make_key(batch.copy[i])) << "a buffer was reused";
      batch.evaluations[i] = arbitrary_evaluation(batch.queries[i], 1000);
    }
    batch = {};
  }

 private:
  struct Pending {
    std::span<const Query> queries;
    std::span<Evaluation> evaluations;
    std::vector<Query> copy;
  };
  int max_batch_;
  std::vector<Pending> batches_;
  std::atomic<int>& most_;
};

TEST(SelfPlay, KeepsSeveralBatchesInFlight) {
  SelfPlaySetup setup = quick_setup();
  setup.ordered = true;
  const PhaseGoal goal{20, Unfinished::Finish};
  const auto games = play(setup, goal);
  for (const int depth : {1, 2, 3, 20}) {
    std::atomic<int> most = 0;
    setup.make_evaluator = [&](const NetworkPtr&) {
      return std::make_unique<PipelinedEvaluator>(4, depth, most);
    };
    EXPECT_EQ(play(setup, goal), games);
    EXPECT_EQ(most, std::min(depth, 8));  // eight slots
  }
}

TEST(SelfPlay, AnswersFromTheCacheNeedNoBatch) {
  SelfPlaySetup setup = quick_setup();
  setup.ordered = true;
  setup.cache = std::make_shared<EvaluationCache>(1 << 18);
  const PhaseGoal goal{6, Unfinished::Finish};
  const auto games = play(setup, goal);
  setup.make_evaluator = [](const NetworkPtr&) {
    class Refusing final : public ArbitraryEvaluator {
     public:
      Refusing() : ArbitraryEvaluator(0, 8) {}
      void evaluate(std::span<const Query>, std::span<Evaluation>) override {
        ADD_FAILURE() << "everything had been evaluated before";
      }
    };
    return std::make_unique<Refusing>();
  };
  EXPECT_EQ(play(setup, goal), games);
}

TEST(SelfPlay, RefusesSetupsThatMakeNoSense) {
  CollectingSink sink;
  const auto refused = [&](const auto& change) {
    SelfPlaySetup setup = quick_setup();
    change(setup);
    EXPECT_THROW(SelfPlay(setup, sink), std::invalid_argument);
  };
  refused([](SelfPlaySetup& setup) { setup.network = nullptr; });
  refused([](SelfPlaySetup& setup) { setup.make_evaluator = nullptr; });
  refused([](SelfPlaySetup& setup) { setup.settings.full_visits = 0; });
  refused([](SelfPlaySetup& setup) { setup.rules.goats = 0; });
  SelfPlay self_play(quick_setup(), sink);
  EXPECT_THROW(self_play.set_network(nullptr), std::invalid_argument);
  EXPECT_THROW(self_play.start({-1, Unfinished::Keep}), std::invalid_argument);
  self_play.start({});
  EXPECT_THROW(self_play.start({}), std::logic_error);
}

TEST(SelfPlay, IsOverBeforeTheFirstPhaseAndMayBeDestroyedAtAnyTime) {
  CollectingSink sink;
  {
    SelfPlay self_play(quick_setup(2), sink);
    self_play.wait();
    self_play.stop();
  }
  {
    SelfPlay self_play(quick_setup(2), sink);
    self_play.start({});
  }
  SelfPlay self_play(quick_setup(2), sink);
  self_play.start({0, Unfinished::Finish});
  self_play.stop(Unfinished::Finish);
}

}  // namespace
}  // namespace baghzero
