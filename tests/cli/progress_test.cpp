#include "cli/progress.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>

#include "cli/logging.h"
#include "tests/cli/program.h"

namespace baghzero {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr ProgressStyle kPlain{};
constexpr ProgressStyle kTerminal{.interactive = true, .colour = false, .unicode = false};

// A display on a string, with a clock that moves only when told.
struct Stage {
  explicit Stage(const ProgressStyle& style, int columns = 200)
      : display(
            style, [this](std::string_view text) { output += text; }, [columns] { return columns; },
            [this] { return now; }) {}
  std::string take() { return std::exchange(output, ""); }

  std::string output;
  std::chrono::steady_clock::time_point now;
  ProgressDisplay display;
};

// What a person sees: the lines of a terminal after these bytes ("\r" and erasing applied).
std::vector<std::string> screen(const std::string& bytes) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes.compare(i, 5, "\r\x1b[2K") == 0) {
      lines.back().clear();
      i += 4;
    } else if (bytes[i] == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += bytes[i];
    }
  }
  return lines;
}

TEST(Progress, DurationsReadNaturally) {
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(12.4), "12 s");
  EXPECT_EQ(format_duration(59.6), "1 min 00 s");
  EXPECT_EQ(format_duration(250), "4 min 10 s");
  EXPECT_EQ(format_duration(3720), "1 h 02 min");
  EXPECT_EQ(format_duration(200'000), "55 h 33 min");
}

TEST(Progress, BarShowsPhaseCountsRateTimeLeftAndDetail) {
  const ProgressState state{"self-play", "games", 100, 400, "fill 93 %"};
  EXPECT_EQ(render_bar(state, {2.5}, 200, kTerminal),
            "self-play  [======------------------]  25 %, 100/400 games, 2.50 games/s, "
            "2 min 00 s left, fill 93 %");
  EXPECT_EQ(render_bar({"gate", "pairs", 1'234'567, 0, ""}, {}, 200, kTerminal),
            "gate       1,234,567 pairs");
  EXPECT_THAT(render_bar(state, {2.5}, 200, {.interactive = true, .unicode = true}),
              HasSubstr("━━━━━━──────────────────  25 % · 100/400 games · 2.50 games/s"));
}

TEST(Progress, BarNeverExceedsTheTerminal) {
  const ProgressState state{"self-play", "games", 100, 400, "a rather long detail of the phase"};
  for (int columns = 0; columns < 130; ++columns)
    for (const bool unicode : {false, true}) {
      const std::string bar =
          render_bar(state, {2.5}, columns, {.interactive = true, .unicode = unicode});
      const auto width = std::count_if(
          bar.begin(), bar.end(), [](char c) { return (static_cast<unsigned>(c) & 0xC0) != 0x80; });
      EXPECT_LE(width, columns);
    }
}

TEST(Progress, ColourIsAddedOnlyIfAskedFor) {
  const ProgressState state{"gate", "pairs", 1, 2, ""};
  const std::string plain = render_bar(state, {}, 80, kTerminal);
  std::string coloured = render_bar(state, {}, 80, {.interactive = true, .colour = true});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  ASSERT_THAT(coloured, HasSubstr("\x1b[36m"));
  coloured.erase(coloured.find("\x1b[36m"), 5);
  coloured.erase(coloured.find("\x1b[0m"), 4);
  EXPECT_EQ(coloured, plain);
}

TEST(Progress, OverfullAndEmptyTotalsStayInsideTheBar) {
  EXPECT_THAT(render_bar({"gate", "pairs", 9, 4, ""}, {}, 80, kTerminal), HasSubstr("100 %"));
  EXPECT_THAT(render_bar({"gate", "pairs", 0, 4, ""}, {}, 80, kTerminal), HasSubstr("  0 %"));
  EXPECT_THAT(render_line({"gate", "pairs", 399, 400, ""}, {1}), HasSubstr("(99 %)"));
}

TEST(Progress, TerminalIsRedrawnInPlaceAtMostEveryInterval) {
  Stage stage(kTerminal);
  stage.display.update({"gate", "pairs", 0, 100, ""});
  EXPECT_FALSE(stage.take().empty());
  stage.now += 50ms;
  stage.display.update({"gate", "pairs", 1, 100, ""});
  EXPECT_EQ(stage.take(), "");
  stage.now += 60ms;
  stage.display.update({"gate", "pairs", 2, 100, ""});
  const std::string redrawn = stage.take();
  EXPECT_THAT(redrawn, AllOf(StartsWith("\r\x1b[2K"), HasSubstr("2/100"), Not(HasSubstr("\n"))));
  stage.display.update({"gate", "pairs", 100, 100, ""});
  EXPECT_THAT(stage.take(), HasSubstr("100/100"));
}

TEST(Progress, LogLinesStandAboveTheBarAndTheBarComesBack) {
  std::string all;
  {
    Stage stage(kTerminal);
    stage.display.update({"gate", "pairs", 3, 100, ""});
    stage.display.line("first message");
    stage.display.line("second");
    all = stage.output;
  }
  const auto lines = screen(all);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "first message");
  EXPECT_EQ(lines[1], "second");
  EXPECT_THAT(lines[2], HasSubstr("3/100 pairs"));
}

TEST(Progress, FinishLeavesNothingBehind) {
  Stage stage(kTerminal);
  stage.display.update({"gate", "pairs", 3, 100, ""});
  stage.display.finish();
  EXPECT_EQ(screen(stage.output), std::vector<std::string>{""});
  stage.take();
  stage.display.line("after");
  EXPECT_EQ(stage.take(), "after\n");
}

TEST(Progress, RateStartsAfreshWithEveryPhase) {
  Stage stage(kTerminal);
  stage.display.update({"self-play", "games", 50, 100, ""});
  stage.now += 10s;
  stage.display.update({"self-play", "games", 70, 100, ""});
  EXPECT_THAT(stage.take(), AllOf(HasSubstr("2.00 games/s"), HasSubstr("15 s left")));
  stage.display.update({"training", "steps", 10, 100, ""});
  EXPECT_THAT(stage.take(), Not(HasSubstr("/s")));
  stage.now += 2s;
  stage.display.update({"training", "steps", 30, 100, ""});
  EXPECT_THAT(stage.take(), HasSubstr("10.0 steps/s"));
}

TEST(Progress, PlainOutputIsATimestampedLineNowAndThen) {
  Stage stage(kPlain);
  for (int i = 0; i < 14; ++i) {
    stage.display.update({"self-play", "games", static_cast<double>(i), 100, "fine"});
    stage.now += 1s;
  }
  EXPECT_EQ(stage.take(), "");
  stage.now += 1s;
  stage.display.update({"self-play", "games", 30, 100, "fine"});
  const std::string line = stage.take();
  EXPECT_THAT(line, testing::MatchesRegex("[0-9:]* self-play: 30/100 games .30 %., 2.00 games/s, "
                                          "35 s left, fine\n"));
  stage.display.update({"self-play", "games", 31, 100, "fine"});
  EXPECT_EQ(stage.take(), "");
  stage.display.finish();
  EXPECT_EQ(stage.take(), "");
}

TEST(Progress, WhoeverWaitsForAnUpdateIsToldHowLong) {
  Stage stage(kPlain);
  const ProgressState burst{"gate", "pairs", 0, 100, "", false};
  stage.display.update(burst);
  for (int second = 0; second < 40; ++second) {
    stage.now += 1s;
    stage.display.tick();
  }
  EXPECT_THAT(stage.take(), testing::MatchesRegex("[0-9:]* gate: 0/100 pairs .0 %., for 15 s\n"
                                                  "[0-9:]* gate: 0/100 pairs .0 %., for 30 s\n"));
  stage.display.finish();
  stage.now += 40s;
  stage.display.tick();
  EXPECT_EQ(stage.take(), "");
}

TEST(Progress, PairsThatEndInBurstsPromiseNoTimeLeft) {
  Stage stage(kTerminal);
  stage.display.update({"gate", "pairs", 0, 100, "", false});
  stage.now += 10s;
  stage.display.update({"gate", "pairs", 50, 100, "", false});
  EXPECT_THAT(stage.take(),
              AllOf(HasSubstr("for 10 s"), Not(HasSubstr("left")), Not(HasSubstr("/s"))));
}

TEST(Progress, PhasesSideBySideAreNotSilent) {
  Stage stage(kPlain);
  for (int turn = 0; turn < 40; ++turn) {
    stage.display.update({"self-play", "games", static_cast<double>(turn), 100, ""});
    stage.display.update({"training", "steps", static_cast<double>(turn % 2), 2, ""});
    stage.now += 500ms;
  }
  EXPECT_THAT(stage.take(), HasSubstr("self-play: 30/100 games (30 %), 2.00 games/s, 35 s left\n"));
}

TEST(Progress, AMessageIsSignOfLifeEnough) {
  Stage stage(kPlain);
  stage.display.update({"gate", "pairs", 0, 100, ""});
  stage.now += 14s;
  stage.display.line("a message");
  stage.now += 14s;
  stage.display.tick();
  EXPECT_EQ(stage.take(), "a message\n");
}

TEST(Progress, ManyThreadsNeverMixLines) {
  Stage stage(kTerminal);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&stage, t] {
      for (int i = 0; i < 200; ++i) {
        stage.display.update({"gate", "pairs", static_cast<double>(i), 200, ""});
        stage.display.line("message of " + std::to_string(t));
      }
    });
  for (auto& thread : threads) thread.join();
  stage.display.finish();
  const auto lines = screen(stage.output);
  EXPECT_EQ(lines.size(), 801U);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    EXPECT_THAT(lines[i], testing::MatchesRegex("message of [0-3]"));
}

TEST(Logging, LinesGoToTheDisplayAndTheFile) {
  const auto file = test::fresh_folder("logging") / "log.txt";
  std::string output;
  const auto display = std::make_shared<ProgressDisplay>(
      kPlain, [&output](std::string_view text) { output += text; }, [] { return 80; });
  {
    const auto logger = make_logger(display, false);
    logger->info("before the file");
    const auto alone = add_log_file(*logger, file);
    logger->info("{}", "braces {} are left alone");
    logger->warn("careful");
    alone->info("for the file");
  }
  EXPECT_THAT(output, testing::MatchesRegex(
                          "[0-9:]* before the file\n[0-9:]* braces \\{\\} are left alone\n"
                          "[0-9:]* warning: careful\n"));
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr(" info: braces {} are left alone\n"),
                                HasSubstr(" warning: careful\n"),
                                HasSubstr(" info: for the file\n"), Not(HasSubstr("before"))));
}

TEST(Logging, FileThatCannotBeOpenedIsNamed) {
  const auto display = std::make_shared<ProgressDisplay>(
      kPlain, [](std::string_view) {}, [] { return 80; });
  try {
    add_log_file(*make_logger(display, false), "/dev/null/log.txt");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/dev/null/log.txt"));
  }
}

}  // namespace
}  // namespace baghzero
