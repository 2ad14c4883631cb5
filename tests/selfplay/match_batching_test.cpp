// Batches of a match, formed across its games, and what they must not change.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/agents/search_agent.h"
#include "selfplay/match.h"
#include "tests/selfplay/match_support.h"

namespace baghzero {
namespace {

using test::expect_same_games;
using test::greedy_player;
using test::play;
using test::Played;
using test::random_player;
using test::search_player;
using test::settings_with;

// Batched play and an agent that searches by itself are two ways to the same game, so batches
// neither mix up games nor players.
TEST(Match, BatchedPlayersPlayAsSearchingAgentsDo) {
  for (const int visits : {0, 12}) {
    const auto batched = [visits](std::uint64_t salt) {
      Player player = search_player(salt, visits);
      player.opening_temperature_plies = 0;
      return player;
    };
    const auto alone = [visits](std::uint64_t salt) {
      Player player;
      player.name = "alone";
      player.make_agent = [salt, visits] {
        return make_search_agent("alone", std::make_unique<ArbitraryEvaluator>(salt, 1),
                                 {.search = {}, .visits = visits});
      };
      return player;
    };
    expect_same_games(play(batched(1), batched(2), 8, settings_with(2, 8)),
                      play(alone(1), alone(2), 8, settings_with(1, 1)));
  }
}

// Counts the rows of batches and those that could have been in one batch.
class CountingEvaluator final : public ArbitraryEvaluator {
 public:
  CountingEvaluator(std::uint64_t salt, int max_batch, std::vector<std::size_t>& rows)
      : ArbitraryEvaluator(salt, max_batch), rows_(rows) {}
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    ASSERT_EQ(queries.size(), evaluations.size());
    ASSERT_LE(queries.size(), static_cast<std::size_t>(max_batch()));
    rows_.push_back(queries.size());
    ArbitraryEvaluator::evaluate(queries, evaluations);
  }

 private:
  std::vector<std::size_t>& rows_;
};

TEST(Match, BatchesAreAsLargeAsTheGamesAllow) {
  std::map<int, std::vector<std::size_t>> rows;
  const auto counted = [&rows](int id, int max_batch) {
    Player player = search_player(static_cast<std::uint64_t>(id), 16);
    player.make_evaluator = [&rows, id, max_batch] {
      return std::make_unique<CountingEvaluator>(static_cast<std::uint64_t>(id), max_batch,
                                                 rows[id]);
    };
    return player;
  };
  const auto mean_rows = [&rows](int id) {
    double sum = 0;
    for (std::size_t count : rows[id]) sum += static_cast<double>(count);
    return sum / static_cast<double>(rows[id].size());
  };
  // 32 games side by side of 64: while games abound, either player waits for about half of them.
  play(counted(1, 64), counted(2, 64), 32, settings_with(1, 32));
  EXPECT_GT(mean_rows(1), 8);
  EXPECT_GT(mean_rows(2), 8);
  // Against an agent all games wait for the one evaluator; its limit holds all the same.
  play(counted(3, 10), random_player(), 32, settings_with(1, 32));
  EXPECT_GT(mean_rows(3), 7);
  EXPECT_EQ(*std::ranges::max_element(rows[3]), 10u);
}

// Works in its own thread, like a device, with random stalls; two batches may be in flight.
class SlowDevice final : public Evaluator {
 public:
  explicit SlowDevice(std::uint64_t salt) : salt_(salt) {}
  ~SlowDevice() override {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    submit(0, queries, evaluations);
    wait(0);
  }
  int max_batch() const override { return 16; }
  int in_flight() const override { return 2; }
  void submit(int slot, std::span<const Query> queries,
              std::span<Evaluation> evaluations) override {
    const std::uint64_t stall = random_() % 200;
    threads_[static_cast<std::size_t>(slot)] = std::thread([=, salt = salt_] {
      std::this_thread::sleep_for(std::chrono::microseconds(stall));
      for (std::size_t i = 0; i < queries.size(); ++i)
        evaluations[i] = arbitrary_evaluation(queries[i], salt);
    });
  }
  void wait(int slot) override { threads_[static_cast<std::size_t>(slot)].join(); }

 private:
  std::uint64_t salt_;
  Random random_{5};
  std::array<std::thread, 2> threads_;
};

TEST(Match, DevicesWithBatchesInFlightGiveTheSameGames) {
  const auto on_device = [](std::uint64_t salt) {
    Player player = search_player(salt, 6);
    player.make_evaluator = [salt] { return std::make_unique<SlowDevice>(salt); };
    return player;
  };
  MatchSettings settings = settings_with(2, 6);
  settings.rules.max_plies = 40;
  const Played reference = play(search_player(1, 6), search_player(2, 6), 6, settings);
  expect_same_games(reference, play(on_device(1), on_device(2), 6, settings));
  const Played against_agent = play(search_player(1, 6), greedy_player(), 6, settings);
  expect_same_games(against_agent, play(on_device(1), greedy_player(), 6, settings));
  // Dropped in the middle, batches in flight and all.
  for (int stop_after = 1; stop_after < 6; ++stop_after)
    EXPECT_EQ(play(on_device(1), on_device(2), 6, settings, stop_after).games.size(),
              static_cast<std::size_t>(2 * stop_after));
}

}  // namespace
}  // namespace baghzero
