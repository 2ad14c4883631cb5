// Closing matches of runs that are stopped in them.
#include <filesystem>
#include <string>
#include <vector>

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
using ::testing::Not;
using testing::RecordingObserver;
using testing::run_to_end;
using testing::StoppingObserver;
using testing::TemporaryFolder;
using testing::tiny_run;

std::vector<MatchEntry> matches(const std::filesystem::path& root) {
  return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).matches();
}

TEST(RunClosing, AResumePlaysOnlyTheMatchThatIsMissing) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 60;
  const auto root = folder / "run";
  StoppingObserver observer([](const PhaseProgress& progress) {
    return progress.phase == RunPhase::ClosingMatches &&
           progress.detail.find("greedy") != std::string::npos;
  });
  const RunResult stopped = train(config, root, false, "", observer, observer.stop);
  ASSERT_EQ(stopped.end, RunEnd::Stopped);
  EXPECT_TRUE(stopped.against_random.played);
  EXPECT_FALSE(stopped.against_greedy.played);
  ASSERT_EQ(matches(root).size(), 1U);

  RecordingObserver rest;
  std::vector<std::string> opponents;
  rest.on_progress = [&](const PhaseProgress& progress) {
    if (progress.phase == RunPhase::ClosingMatches) opponents.push_back(progress.detail);
  };
  const RunResult result = train(config, root, true, "", rest, kGoOn);
  EXPECT_EQ(result.end, RunEnd::Generations);
  EXPECT_THAT(opponents, Not(Contains(HasSubstr("random"))));
  EXPECT_THAT(opponents, Contains(HasSubstr("greedy")));
  EXPECT_EQ(result.against_random.pairs, 60);
  EXPECT_EQ(result.against_random.total, stopped.against_random.total);
  EXPECT_TRUE(result.against_greedy.played);
  ASSERT_EQ(matches(root).size(), 2U);
  EXPECT_EQ(matches(root)[0].second, "random");
  EXPECT_EQ(matches(root)[1].second, "greedy");
}

// Killed between the second match and the mark that the run is finished.
TEST(RunClosing, NothingIsPlayedAgainIfOnlyTheMarkIsMissing) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  const auto root = folder / "run";
  const RunResult first = run_to_end(config, root);
  RunStore(root / "run.sqlite", RunStore::Mode::Resume).set_meta("finished", "");
  const RunResult again = run_to_end(config, root, true);
  EXPECT_FALSE(again.was_finished);
  EXPECT_EQ(again.end, RunEnd::Generations);
  EXPECT_EQ(again.against_random.total, first.against_random.total);
  EXPECT_EQ(again.against_greedy.as_goat, first.against_greedy.as_goat);
  EXPECT_EQ(matches(root).size(), 2U);
  EXPECT_TRUE(run_to_end(config, root, true).was_finished);

  config.run.generations = 2;  // another player, which has met nobody
  EXPECT_EQ(run_to_end(config, root, true).generation, 2);
  ASSERT_EQ(matches(root).size(), 4U);
  EXPECT_EQ(matches(root)[3].first, "generation 2");
}

}  // namespace
}  // namespace baghzero
