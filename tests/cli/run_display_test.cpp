#include "cli/run_display.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>

#include "cli/logging.h"
#include "cli/run_summary.h"
#include "tests/cli/program.h"

namespace baghzero {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(RunDisplay, ShowsPhasesMessagesAndMetrics) {
  const auto folder = test::fresh_folder("run_display") / "tensorboard";
  std::string output;
  const auto display = std::make_shared<ProgressDisplay>(
      ProgressStyle{.interactive = true}, [&output](std::string_view text) { output += text; },
      [] { return 100; });
  {
    RunDisplay observer(display, make_logger(display, false), folder);
    observer.progress({RunPhase::SelfPlay, 3, 9, "warm"});
    observer.progress({RunPhase::Training, 4, 9, ""});
    observer.progress({RunPhase::Gate, 5, 9, ""});
    observer.progress({RunPhase::ClosingMatches, 6, 9, ""});
    observer.message("a message");
    observer.warning("a warning");
    EXPECT_FALSE(std::filesystem::exists(folder));
    observer.metrics(100, {{"loss/value", 0.5}});
  }
  EXPECT_THAT(output, AllOf(HasSubstr("self-play"), HasSubstr("3/9 games"), HasSubstr("warm"),
                            HasSubstr("4/9 steps"), HasSubstr("5/9 games"),
                            HasSubstr("closing matches"), HasSubstr("6/9 games")));
  EXPECT_THAT(output, AllOf(HasSubstr(" a message\n"), HasSubstr(" warning: a warning\n")));
  EXPECT_TRUE(output.ends_with("\r\x1b[2K"));
  EXPECT_FALSE(std::filesystem::is_empty(folder));
}

TEST(RunSummary, NamesEverythingAUserWaitedFor) {
  RunResult result;
  result.end = RunEnd::Generations;
  result.generation = 2;
  result.seconds = 730;
  result.games = 1200;
  result.rows = 34'567;
  result.samples = 138'268;
  result.peak_memory_bytes = 512LL << 20;
  result.against_random = {true, 100, 0.985, 0.97, 1.0};
  const std::string text = summarise_run(result, GateSettings{}, "runs/quick");
  EXPECT_THAT(text, AllOf(HasSubstr("generations promoted  2\n"), HasSubstr("12 min 10 s"),
                          HasSubstr("1,200, 34,567, 138,268"), HasSubstr("512 MiB"),
                          HasSubstr("runs/quick/models/gen-0002.bzn"), HasSubstr("64 visits")));
  EXPECT_THAT(text, HasSubstr("against random        98.5 % overall, 97.0 % as goat, 100.0 % as "
                              "tiger  (100 pairs)\n"));
  EXPECT_THAT(text, HasSubstr("against greedy        not played\n"));
}

TEST(RunSummary, SaysWhatStoppedARunAndHowToTrainOn) {
  RunResult result;
  EXPECT_THAT(summarise_run(result, GateSettings{}, "runs/quick", "SIGTERM"),
              HasSubstr("\nRun stopped by SIGTERM\n"));
  result.end = RunEnd::Minutes;
  result.was_finished = true;
  result.against_random = {true, 1, 1, 1, 1};
  EXPECT_THAT(
      summarise_run(result, GateSettings{}, "runs/quick"),
      AllOf(HasSubstr("\nRun was finished: run.minutes are over\n"), HasSubstr("(1 pair)")));
  RunSettings run;
  run.minutes = 12;
  EXPECT_THAT(how_to_train_on(RunEnd::Minutes, run, "runs/my run"),
              HasSubstr("train --resume --run 'runs/my run' --set run.minutes=24.0\n"));
}

}  // namespace
}  // namespace baghzero
