// The evaluation of promoted generations.
#include <atomic>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kGoOn;
using testing::ladder_games;
using ::testing::Not;
using testing::one_opponent;
using testing::RecordingObserver;
using testing::TemporaryFolder;
using testing::tiny_evaluated_run;

std::vector<std::int64_t> steps_of(const RunStore& store, const std::string& metric) {
  std::vector<std::int64_t> steps;
  for (const MetricEntry& entry : store.metrics(metric)) steps.push_back(entry.step);
  return steps;
}

// Evaluates after every promotion, of which an overlapping run may make two during one evaluation:
// then it evaluates the later one.
void expect_evaluations(Schedule schedule) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.training.schedule = schedule;
  config.run.generations = 3;
  const auto root = folder / "run";
  RecordingObserver observer;
  train(config, root, false, "", observer, kGoOn, one_opponent(make_random_agent));
  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  std::vector<std::int64_t> promoted;
  for (const GenerationEntry& entry : store.generations())
    if (entry.number > 0) promoted.push_back(entry.samples);
  ASSERT_EQ(promoted.size(), 3U);
  for (const char* opponent : {"fixed", "previous"})
    for (const char* score : {"score", "score_as_goat", "score_as_tiger"}) {
      const std::string name = std::string("evaluation/") + opponent + "/" + score;
      const std::vector<MetricEntry> stored = store.metrics(name);
      ASSERT_EQ(observer.series[name].size(), stored.size()) << name;
      ASSERT_FALSE(stored.empty()) << name;
      EXPECT_EQ(stored.back().step, promoted.back());
      EXPECT_TRUE(stored.size() == promoted.size() || schedule == Schedule::Overlap);
      for (std::size_t i = 0; i < stored.size(); ++i) {
        EXPECT_THAT(promoted, Contains(stored[i].step));
        EXPECT_EQ(observer.series[name][i], std::pair(stored[i].step, stored[i].value));
      }
    }
  // Every evaluated generation has met the fixed opponent.
  for (const char* rating : {"rating/elo", "rating/elo_as_goat", "rating/elo_as_tiger"}) {
    EXPECT_EQ(steps_of(store, rating), steps_of(store, "evaluation/fixed/score")) << rating;
    for (const MetricEntry& error : store.metrics(std::string(rating) + "_error"))
      EXPECT_GT(error.value, 0) << rating;
  }
  EXPECT_THAT(observer.messages,
              Contains(::testing::ContainsRegex("evaluation of generation 3, 2 pairs each in .* s: "
                                                "fixed .* %.*as tiger .*, previous .*, 2_before")));
  // Two pairs with every opponent.
  const std::size_t matches = store.metrics("evaluation/fixed/score").size() +
                              store.metrics("evaluation/previous/score").size() +
                              store.metrics("evaluation/2_before/score").size();
  EXPECT_EQ(ladder_games(root, config), 4 * static_cast<std::int64_t>(matches));
  // Of other things, such as a busy machine, it may be warned.
  EXPECT_THAT(observer.warnings, Not(Contains(HasSubstr("failed"))));
}

TEST(Run, EvaluatesPromotedGenerations) { expect_evaluations(Schedule::Alternate); }

TEST(Run, EvaluatesPromotedGenerationsWhileItOverlaps) { expect_evaluations(Schedule::Overlap); }

TEST(Run, EvaluatesEveryFewPromotionsAndSparesAnOpponentThatFails) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.evaluation.every = 2;
  config.evaluation.generations = 1;
  RecordingObserver observer;
  const RunResult result =
      train(config, folder / "run", false, "", observer, kGoOn,
            one_opponent([]() -> std::unique_ptr<Agent> { throw std::runtime_error("no such"); }));
  EXPECT_EQ(result.end, RunEnd::Generations);
  EXPECT_EQ(ladder_games(folder / "run", config), 4);
  EXPECT_TRUE(observer.series["evaluation/fixed/score"].empty());
  EXPECT_EQ(observer.series["evaluation/previous/score"].size(), 1U);
  EXPECT_THAT(observer.warnings, Contains(HasSubstr("against fixed failed: no such")));
  // Nothing links the generations with the player that has 0.
  EXPECT_TRUE(observer.series["rating/elo"].empty());
}

void expect_whole_evaluations_only(Schedule schedule) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.training.schedule = schedule;
  config.run.generations = 1;
  const auto root = folder / "run";
  // Told to stop in the midst of a game.
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  const auto stopping = one_opponent([&stop] {
    stop = true;
    return make_random_agent();
  });
  EXPECT_EQ(train(config, root, false, "", observer, stop, stopping).end, RunEnd::Stopped);
  EXPECT_TRUE(stop);
  EXPECT_EQ(ladder_games(root, config), 0);
  EXPECT_TRUE(observer.series["evaluation/previous/score"].empty());

  RecordingObserver rest;
  EXPECT_EQ(train(config, root, true, "", rest, kGoOn, one_opponent(make_random_agent)).end,
            RunEnd::Generations);
  EXPECT_EQ(ladder_games(root, config), 8);
  EXPECT_EQ(rest.series["evaluation/fixed/score"].size(), 1U);
}

TEST(Run, CountsNothingOfAnEvaluationThatIsStoppedAndHoldsItOnResume) {
  expect_whole_evaluations_only(Schedule::Alternate);
}

TEST(Run, CountsNothingOfAnEvaluationThatIsStoppedWhileItOverlaps) {
  expect_whole_evaluations_only(Schedule::Overlap);
}

// All games in the database count, and the fit is that of `baghzero ladder`.
TEST(Run, RatesAGenerationByAllGamesOfTheLadder) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.run.generations = 1;
  const auto root = folder / "run";
  RecordingObserver observer;
  train(config, root, false, "", observer, kGoOn, one_opponent(make_random_agent));
  const std::string rules = format_rules(config.rules);
  RunStore store(root / "run.sqlite", RunStore::Mode::Resume);
  const auto rated = [&](const std::string& name) {
    return store.metrics(name).empty() ? std::nan("") : store.metrics(name).back().value;
  };
  const std::vector<std::string> players = {
      "fixed", network_player_name(root / RunFolder::model_name(1), 2),
      network_player_name(root / RunFolder::model_name(0), 2)};
  const PlayerRating expected = RatingFit(3, store.ladder_games(rules, players).all()).players()[1];
  // Up to what another order of the players does to the last digits.
  EXPECT_NEAR(rated("rating/elo"), expected.overall.elo, 1e-4);
  EXPECT_NEAR(rated("rating/elo_as_goat"), expected.as_goat.elo, 1e-4);
  EXPECT_NEAR(rated("rating/elo_as_tiger"), expected.as_tiger.elo, 1e-4);
  EXPECT_NEAR(rated("rating/elo_error"), expected.overall.error, 1e-4);
}

TEST(Run, EndsAnEvaluationInTime) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.run.generations = 1;
  config.evaluation.seconds = 1e-9;
  RecordingObserver observer;
  EXPECT_EQ(
      train(config, folder / "run", false, "", observer, kGoOn, one_opponent(make_random_agent))
          .end,
      RunEnd::Generations);
  EXPECT_THAT(observer.messages, Contains(HasSubstr("fixed not played, previous not played")));
  EXPECT_EQ(ladder_games(folder / "run", config), 0);
  EXPECT_TRUE(observer.series["rating/elo"].empty());
}

}  // namespace
}  // namespace baghzero
