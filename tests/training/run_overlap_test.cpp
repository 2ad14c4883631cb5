// Runs whose self-play, training and gates go side by side.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using testing::RecordingObserver;
using testing::run_to_end;
using testing::TemporaryFolder;
using testing::tiny_run;

TEST(Run, OverlappingNeverTriesTheSameWeightsTwice) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.training.schedule = Schedule::Overlap;
  config.run.generations = 0;
  config.run.sample_budget = 200;
  config.run.closing_pairs = 0;
  const auto root = folder / "run";
  EXPECT_EQ(run_to_end(config, root).end, RunEnd::SampleBudget);
  const auto gates = [&] {
    return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).gates().size();
  };
  const std::size_t before = gates();
  EXPECT_GT(before, 0U);
  EXPECT_EQ(run_to_end(config, root, true).end, RunEnd::SampleBudget);
  EXPECT_EQ(gates(), before);
}

TEST(Run, OverlapsSelfPlayTrainingAndGates) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.training.schedule = Schedule::Overlap;
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  const RunResult result = run_to_end(config, folder / "run");
  EXPECT_EQ(result.end, RunEnd::Generations);
  EXPECT_EQ(result.generation, 2);
  EXPECT_TRUE(result.against_greedy.played);
  EXPECT_LE(static_cast<double>(result.samples),
            config.training.reuse * static_cast<double>(result.rows) + config.training.batch);
  const RunStore store(folder / "run" / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(store.game_count(), result.games);
  EXPECT_FALSE(store.unfinished_gate().has_value());
}

TEST(Run, StopsWhileItOverlapsAndResumes) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.training.schedule = Schedule::Overlap;
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  int calls = 0;
  observer.on_progress = [&](const PhaseProgress&) { stop = ++calls > 5; };
  EXPECT_EQ(train(config, folder / "run", false, "", observer, stop).end, RunEnd::Stopped);
  EXPECT_EQ(run_to_end(config, folder / "run", true).generation, 2);
}

}  // namespace
}  // namespace baghzero
