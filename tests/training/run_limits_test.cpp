// What run.minutes ends, and when.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run.h"
#include "training/run_context.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kGoOn;
using testing::RecordingObserver;
using testing::run_to_end;
using testing::StoppingObserver;
using testing::TemporaryFolder;
using testing::tiny_run;

TEST(Run, SetsTimeAsideForTheLastGateAndTheClosingMatches) {
  RunConfig config = tiny_run();
  config.gate.mode = GateMode::Sprt;
  config.run.minutes = 10;
  TimeLimits limits = time_limits(config);
  EXPECT_DOUBLE_EQ(limits.training, 480);
  EXPECT_DOUBLE_EQ(limits.gates, 540);
  EXPECT_DOUBLE_EQ(limits.whole, 600);
  config.run.minutes = 1'000;
  limits = time_limits(config);
  EXPECT_DOUBLE_EQ(limits.training, 60'000 - 1'200);
  config.run.closing_pairs = 0;
  EXPECT_DOUBLE_EQ(time_limits(config).gates, 60'000);
  config.gate.mode = GateMode::Always;
  EXPECT_DOUBLE_EQ(time_limits(config).training, 60'000);
  config.run.minutes = 0;
  EXPECT_EQ(time_limits(config).training, INFINITY);
}

// Stopped in its gate, the run has used up its minutes when it goes on by this schedule.
void expect_minutes_to_end_the_gate(Schedule schedule) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  config.run.generations = 1;
  const auto root = folder / "run";
  StoppingObserver observer(RunPhase::Gate);
  EXPECT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
  const auto unfinished = [&] {
    return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).unfinished_gate().has_value();
  };
  EXPECT_TRUE(unfinished());

  config.training.schedule = schedule;
  config.run.minutes = 1e-6;
  RecordingObserver late;
  const RunResult cut_off = train(config, root, true, "", late, kGoOn);
  EXPECT_EQ(cut_off.end, RunEnd::Minutes);
  EXPECT_EQ(cut_off.generation, 0);
  EXPECT_FALSE(cut_off.against_random.played);
  EXPECT_THAT(late.messages,
              Contains(HasSubstr("the match against random ends after 0 of 3 pairs")));
  EXPECT_TRUE(unfinished());

  config.run.minutes = 0;
  EXPECT_EQ(run_to_end(config, root, true).generation, 1);
  EXPECT_FALSE(unfinished());
}

TEST(Run, MinutesEndTheGateToo) { expect_minutes_to_end_the_gate(Schedule::Alternate); }

TEST(Run, MinutesEndTheGateOfAnOverlappingRunToo) {
  expect_minutes_to_end_the_gate(Schedule::Overlap);
}

}  // namespace
}  // namespace baghzero
