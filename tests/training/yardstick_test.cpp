// Runs that are measured by solved positions, and runs that the solved game teaches.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/solver/suite.h"
#include "selfplay/slot.h"
#include "tests/solver/support.h"
#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kGoOn;
using testing::RecordingObserver;
using testing::TemporaryFolder;

constexpr int kPositions = 60;

// The game that is solved, cut short, and positions with any values: what is measured by them does
// not matter here.
RunConfig tiny_run(const TemporaryFolder& folder) {
  RunConfig config = testing::tiny_run();
  config.rules = {};
  config.rules.max_plies = 50;
  config.run.closing_pairs = 0;
  config.solver.suite = (folder / "suite.txt").string();
  config.solver.suite_seconds = 60;
  std::vector<SuitePosition> suite;
  Random random(1);
  for (int i = 0; i < kPositions; ++i) {
    const Game game = random_late_start({}, random);
    SuitePosition& entry = suite.emplace_back();
    entry.position = game.position();
    entry.rank = i % 3 - 1;
    entry.keeping.push_back(game.legal()[0]);
  }
  std::ofstream(config.solver.suite) << format_suite(suite, 1);
  return config;
}

std::vector<SuiteEntry> results_in(const std::filesystem::path& run) {
  return RunStore(run / "run.sqlite", RunStore::Mode::ReadOnly).suite_results();
}

// Generation and visits of each entry.
std::vector<std::pair<int, int>> measured(const std::filesystem::path& run) {
  std::vector<std::pair<int, int>> pairs;
  for (const SuiteEntry& entry : results_in(run))
    pairs.emplace_back(entry.generation, entry.visits);
  return pairs;
}

TEST(Yardstick, MeasuresEveryGenerationByTheSuite) {
  const TemporaryFolder folder;
  for (const Schedule schedule : {Schedule::Alternate, Schedule::Overlap}) {
    RunConfig config = tiny_run(folder);
    config.training.schedule = schedule;
    const auto root = folder / (schedule == Schedule::Alternate ? "alternate" : "overlap");
    RecordingObserver observer;
    train(config, root, false, "", observer, kGoOn);
    EXPECT_THAT(measured(root),
                ::testing::ElementsAre(std::pair(0, 0), std::pair(0, 4), std::pair(1, 0),
                                       std::pair(1, 4), std::pair(2, 0), std::pair(2, 4)));
    const std::vector<SuiteEntry> results = results_in(root);
    EXPECT_EQ(results[0].values.total().positions, kPositions);
    EXPECT_GT(results[0].values.total().cross_entropy, 0);
    EXPECT_EQ(results[1].values.total().positions, 0);
    EXPECT_GT(results[0].moves.total().positions, kPositions / 3);
    EXPECT_EQ(results[0].moves.total().positions, results[1].moves.total().positions);
    for (const char* name :
         {"perfect/policy_errors", "perfect/policy_errors_goat", "perfect/search_errors_tiger",
          "perfect/policy_errors_tiger_movement", "perfect/value_right",
          "perfect/value_cross_entropy_goat_placements_15_20"}) {
      EXPECT_EQ(observer.series[name].size(), 3U) << name;
      EXPECT_EQ(RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).metrics(name).size(), 3U)
          << name;
    }
    const SuiteCounts last = results[4].moves.total();
    EXPECT_DOUBLE_EQ(observer.series["perfect/policy_errors"].back().second,
                     1 - static_cast<double>(last.kept) / static_cast<double>(last.positions));
    EXPECT_THAT(observer.messages, Contains(HasSubstr("generation 2 against perfect play")));
  }
}

TEST(Yardstick, NumbersStandWhereTheGenerationWasTrainedEvenIfTheTrainerIsFurther) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run(folder);
  const std::string suite = std::exchange(config.solver.suite, "");
  const auto root = folder / "run";
  config.run.generations = 1;
  RecordingObserver observer;
  train(config, root, false, "", observer, kGoOn);
  // On to some steps behind the first promotion.
  config.run.generations = 2;
  std::atomic<bool> stop = false;
  RecordingObserver impatient;
  impatient.on_progress = [&](const PhaseProgress& progress) {
    stop = stop || (progress.phase == RunPhase::Training && progress.done > 0);
  };
  EXPECT_EQ(train(config, root, true, "", impatient, stop).end, RunEnd::Stopped);

  config.solver.suite = suite;
  train(config, root, true, "", observer, kGoOn);
  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  const std::vector<GenerationEntry> generations = store.generations();
  ASSERT_EQ(generations.size(), 3U);
  const std::vector<MetricEntry> stored = store.metrics("perfect/value_right");
  const auto& told = observer.series["perfect/search_errors"];
  ASSERT_EQ(stored.size(), 2U);
  ASSERT_EQ(told.size(), 2U);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(stored[i].step, generations[i + 1].samples);
    EXPECT_EQ(told[i].first, generations[i + 1].samples);
  }
}

TEST(Yardstick, MakesUpForWhatWasNotMeasured) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run(folder);
  const std::string suite = config.solver.suite;
  config.solver.suite.clear();
  config.run.generations = 1;
  const auto root = folder / "run";
  RecordingObserver observer;
  train(config, root, false, "", observer, kGoOn);
  EXPECT_TRUE(measured(root).empty());

  config.solver.suite = suite;
  config.run.generations = 2;
  std::atomic<bool> stop = false;
  RecordingObserver impatient;
  impatient.on_progress = [&](const PhaseProgress& progress) {
    stop = stop || progress.phase == RunPhase::Suite;
  };
  EXPECT_EQ(train(config, root, true, "", impatient, stop).end, RunEnd::Stopped);
  EXPECT_TRUE(measured(root).empty());
  train(config, root, true, "", observer, kGoOn);
  EXPECT_THAT(measured(root), ::testing::ElementsAre(std::pair(1, 0), std::pair(1, 4),
                                                     std::pair(2, 0), std::pair(2, 4)));
}

TEST(Yardstick, TakesNoMoreTimeThanItIsGiven) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run(folder);
  config.run.generations = 1;
  config.solver.suite_seconds = 0;
  RecordingObserver observer;
  EXPECT_EQ(train(config, folder / "run", false, "", observer, kGoOn).generation, 1);
  EXPECT_TRUE(measured(folder / "run").empty());
}

TEST(SolverRun, EndsGamesByTheSolvedGame) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run(folder);
  config.run.generations = 1;
  config.solver.suite.clear();
  config.selfplay.adjudicate = Adjudicate::Solver;
  config.selfplay.search.solver = true;
  config.solver.db = test::movement_folder(test::uniform_table(Outcome::GoatsWin));
  RecordingObserver observer;
  train(config, folder / "run", false, "", observer, kGoOn);
  std::filesystem::remove_all(config.solver.db);
  const RunStore store(folder / "run" / "run.sqlite", RunStore::Mode::ReadOnly);
  const GameTally tally = store.tally_after(0);
  EXPECT_GT(tally.terminations.at(Termination::Adjudicated), 0);
  EXPECT_GT(observer.series["termination/adjudicated"].back().second, 0);
  int adjudicated = 0;
  store.for_each_game(1, 0, [&](std::int64_t, const GameRecord& record) {
    if (record.termination != Termination::Adjudicated) return;
    EXPECT_EQ(record.outcome, Outcome::GoatsWin);
    ++adjudicated;
  });
  EXPECT_EQ(adjudicated, tally.terminations.at(Termination::Adjudicated));
}

}  // namespace
}  // namespace baghzero
