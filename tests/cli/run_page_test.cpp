// What `status` and `report` say of real runs.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/charts.h"
#include "tests/cli/program.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::fresh_folder;
using test::Program;
using test::ProgramResult;
using test::read_text;
using test::run_program;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(RunStatus, TellsOfARunThatTrainsAndOfOneThatStopped) {
  const fs::path folder = fresh_folder("status");
  const fs::path run = folder / "run";
  Program program({"train", test::tiny_config(folder).string(), "--run", run.string(), "--set",
                   "run.generations=0", "--set", "run.minutes=90"},
                  folder);
  while (program.running() && !fs::exists(run / RunFolder::model_name(2)))
    std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(program.running()) << program.err();
  const ProgramResult now = run_program({"status", run.string()});
  EXPECT_EQ(now.exit_code, 0) << now.err;
  EXPECT_THAT(
      now.out,
      AllOf(HasSubstr(run.string() + ": training (process "), ContainsRegex("\n  now +[a-z]"),
            ContainsRegex("\n  generation +[1-9]"), ContainsRegex("\n  games +[1-9]"),
            HasSubstr("games/s"), ContainsRegex("\n  losses +[0-9.]+ policy"),
            ContainsRegex("\n  time left +1 h [0-9]+ min to run.minutes\n"),
            HasSubstr("last gates"), HasSubstr("\n  warnings ")));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait().exit_code, 0);
  const ProgramResult later = run_program({"status", run.string()});
  EXPECT_THAT(later.out, AllOf(HasSubstr(": not training\n"),
                               HasSubstr("baghzero train --resume --run " + run.string() + "\n"),
                               HasSubstr("\n  last seen ")));
  EXPECT_EQ(run_program({"status", folder.string()}).exit_code, 1);
}

TEST(RunReport, IsOnePageThatNeedsNothingElse) {
  const fs::path folder = fresh_folder("report");
  const fs::path run = folder / "run";
  ASSERT_EQ(
      run_program({"train", test::tiny_config(folder).string(), "--run", run.string(), "--set",
                   "run.generations=2", "--set", "gate.mode=fixed", "--set", "gate.threshold=0"})
          .exit_code,
      0);
  {
    RunStore store(run / "run.sqlite", RunStore::Mode::Resume);
    store.add_event("warning", "a <b> & \"c\"");
  }
  const fs::path file = folder / "report.html";
  const ProgramResult result = run_program({"report", run.string(), "--out", file.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string page = read_text(file);
  for (const char* part :
       {"<h1>BaghZero run run</h1>", "Policy loss", "Gates: score of the candidate",
        "<path class=", "<h2>Generations</h2>", "models/gen-0002.bzn", "<h2>Gates</h2>", "promoted",
        "<h2>Matches</h2>", "against greedy", "<svg class=\"board\"", "captures</figcaption>",
        "prefers-color-scheme: dark", "a &lt;b> &amp; &quot;c&quot;", "</html>\n"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char* outside : {"http", "<script", "<link", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_THAT(page, Not(ContainsRegex("[^a-z](nan|inf)[^a-z]")));
}

TEST(Charts, MarksAreRoundAndHoldWhatTheyMust) {
  const Scale scale = make_scale(0.13, 0.91, 200, 10, 5);
  EXPECT_DOUBLE_EQ(scale.step, 0.2);
  EXPECT_DOUBLE_EQ(scale.low, 0);
  EXPECT_DOUBLE_EQ(scale.high, 1);
  EXPECT_DOUBLE_EQ(scale.at(0), 200);
  EXPECT_DOUBLE_EQ(scale.at(1), 10);
  EXPECT_DOUBLE_EQ(make_scale(-120, 340, 0, 1, 12, 50).step, 50);
  const Scale flat = make_scale(3, 3, 0, 1, 5);
  EXPECT_LE(flat.low, 3);
  EXPECT_GT(flat.high, 3);
}

TEST(Charts, ALineGoesThroughItsPointsAndNothingMakesNoChart) {
  EXPECT_EQ(line_chart({}), "");
  const std::string svg =
      line_chart({.series = {{"goat", "as goat", {{0, 0}, {10, 1}}}}, .low = 0, .high = 1});
  EXPECT_THAT(svg, AllOf(HasSubstr("d=\"M52.0 214.0 L424.0 32.0\""), HasSubstr("as goat")));
}

}  // namespace
}  // namespace baghzero
