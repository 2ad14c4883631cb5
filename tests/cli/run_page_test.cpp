// What `status` and `report` say of real runs.
#include "cli/run_page.h"

#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/charts.h"
#include "cli/config.h"
#include "cli/run_status.h"
#include "tests/cli/program.h"
#include "training/benchmark.h"
#include "training/run_folder.h"
#include "training/run_progress.h"
#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(RunStatus, TellsOfARunThatTrainsAndOfOneThatStopped) {
  const fs::path folder = fresh_folder("status");
  const fs::path run = folder / "run";
  Program program({"train", tiny_config(folder).string(), "--run", run.string(), "--set",
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
            ContainsRegex("\n  last gates +promoted: the candidate at [0-9,]+ samples, without a "
                          "game"),
            ContainsRegex("\n  evaluation +generation [1-9][0-9]* against greedy: [0-9.]+ % \\(as"),
            HasSubstr("\n  warnings "), Not(HasSubstr(" 0 pairs"))));
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
      run_program({"train", tiny_config(folder).string(), "--run", run.string(), "--set",
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

// A run as its folder holds it, made without training.
class StoredRun {
 public:
  explicit StoredRun(const std::string& name, RunConfig config = {})
      : root_(fresh_folder(name)), store_(root_ / "run.sqlite", RunStore::Mode::Create) {
    std::ofstream(root_ / "run.toml") << to_toml(config);
    store_.add_generation({0, RunFolder::model_name(0), 0, 0, 0});
  }
  RunStore& store() { return store_; }
  std::string status() {
    store_.commit();
    return describe_status(root_, 2'000'000'000);
  }
  std::string page() {
    store_.commit();
    return run_as_html(root_, 2'000'000'000);
  }
  void execute(const char* sql) {
    store_.commit();
    sqlite::Database(root_ / "run.sqlite", sqlite::Access::ReadWrite).execute(sql);
  }

 private:
  fs::path root_;
  RunStore store_;
};

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(RunStatus, TellsTheTimeLeftInOneLine) {
  RunConfig config;
  config.run.generations = 4;
  config.run.minutes = 60;
  config.run.sample_budget = 1'000;
  StoredRun run("time_left", config);
  const auto time_left = [&](double seconds, std::int64_t samples) {
    store_progress(run.store(), {.phase = {}, .seconds = seconds, .samples = samples});
    const std::string text = run.status();
    EXPECT_LE(occurrences(text, "time left"), 1U) << text;
    const std::size_t at = text.find("time left");
    if (at == std::string::npos) return std::string();
    const std::size_t value = text.find_first_not_of(' ', at + std::string("time left").size());
    return text.substr(value, text.find('\n', at) - value);
  };
  EXPECT_EQ(time_left(60, 0), "59 min 00 s to run.minutes");
  EXPECT_EQ(time_left(60, 10), "59 min 00 s to run.minutes");  // 99 min at this pace
  EXPECT_EQ(time_left(60, 100),
            "about 9 min 00 s to run.sample_budget, 59 min 00 s at most (run.minutes)");
  run.store().add_generation({1, RunFolder::model_name(1), 90, 0, 0});
  EXPECT_EQ(time_left(60, 100),
            "about 3 min 00 s to run.generations, 59 min 00 s at most (run.minutes)");
  EXPECT_EQ(time_left(3'700, 100), "0 s to run.minutes");
  run.store().set_meta("finished", "0");
  EXPECT_EQ(time_left(3'700, 100), "");
}

TEST(RunReport, ShowsEvaluationsAndSolvedPositions) {
  StoredRun run("measures");
  run.store().add_generation({1, RunFolder::model_name(1), 500, 10, 0});
  run.store().add_generation({2, RunFolder::model_name(2), 900, 20, 0});
  for (const std::int64_t samples : {500, 900}) {
    const double later = samples == 900 ? 0.25 : 0;
    run.store().add_metrics(samples, {{"evaluation/a<b/c/score", 0.5 + later},
                                      {"evaluation/a<b/c/score_as_goat", 0.25},
                                      {"evaluation/a<b/c/score_as_tiger", 0.75},
                                      {"evaluation/seconds", 3.5}});
  }
  run.store().add_metrics(900, {{"rating/elo", 350.4},
                                {"rating/elo_error", 60},
                                {"rating/elo_as_goat", 240},
                                {"rating/elo_as_goat_error", 80},
                                {"rating/elo_as_tiger", 460},
                                {"rating/elo_as_tiger_error", 90}});
  run.store().add_metrics(900, {{"evaluation/2_before/score", 1},
                                {"evaluation/2_before/score_as_goat", 1},
                                {"evaluation/2_before/score_as_tiger", 1}});
  SuiteEntry bare{2, "a suite", 0, {}, {}};
  bare.moves.at(Side::Goat, GamePhase::Movement) = {10, 9, 0};
  bare.moves.at(Side::Tiger, GamePhase::Placements1To7) = {10, 7, 0};
  bare.values.at(Side::Goat, GamePhase::Movement) = {20, 15, 10.0};
  run.store().add_suite_result(bare);
  SuiteEntry search{2, "a suite", 64, bare.moves, {}};
  search.moves.at(Side::Tiger, GamePhase::Placements1To7) = {10, 9, 0};
  run.store().add_suite_result(search);

  const std::string page = run.page();
  for (const char* part :
       {"<h2>Evaluations</h2>", "the first fixed opponent has 0 Elo",
        "<figcaption>Rating</figcaption>", ">Elo</text>",
        "<figcaption>Against a&lt;b/c</figcaption>",
        "<td>2</td><td>a&lt;b/c</td><td>75.0 %</td><td>25.0 %</td><td>75.0 %</td>",
        "<td>1</td><td>a&lt;b/c</td><td>50.0 %</td>",
        "<td>2</td><td>2 generations before</td><td>100.0 %</td>", "<h2>Against perfect play</h2>",
        "<figcaption>Value given away by the policy alone</figcaption>",
        "<td>2</td><td>bare network</td><td>20</td><td>20.0 %</td><td>10.0 %</td><td>30.0 %</td>"
        "<td>75.0 %</td><td>0.500</td>",
        "<td>2</td><td>64 visits</td><td>20</td><td>10.0 %</td><td>10.0 %</td><td>10.0 %</td>",
        "<td>tiger</td><td>placements 1-7</td><td>30.0 % of 10</td><td>10.0 % of 10</td>",
        ">samples trained</text>", ">score</text>", ">nats</text>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("evaluation/seconds"), std::string::npos);
  EXPECT_EQ(page.find("<h2>Curves</h2>"), std::string::npos);  // there is nothing to draw
  EXPECT_THAT(page, Not(ContainsRegex("[^a-z](nan|inf)[^a-z]")));

  const std::string status = run.status();
  EXPECT_THAT(
      status,
      AllOf(HasSubstr("evaluation    generation 2 against a<b/c: 75.0 % (as tiger 75.0 %, as goat "
                      "25.0 %)\n"),
            HasSubstr("generation 2 against 2 generations before: 100.0 %"),
            HasSubstr("rating        generation 2: +350 ± 60 Elo (as tiger +460 ± 90, as goat +240 "
                      "± 80), the first fixed opponent having 0\n"),
            HasSubstr("perfect play  generation 2 gives away value in 20.0 % (goat 10.0 %, tiger "
                      "30.0 %) of the solved positions by its policy, in 10.0 % (goat 10.0 %, "
                      "tiger 10.0 %) with 64 visits\n"),
            HasSubstr("its value is right in 75.0 %\n")));
}

TEST(RunReport, ShowsGatesWithoutAGameAsThat) {
  StoredRun run("gates");
  const auto begun = [&](std::int64_t samples, int opponent) {
    GateEntry gate;
    gate.samples = samples;
    gate.opponent = opponent;
    gate.id = run.store().begin_gate(gate);
    return gate;
  };
  GateEntry gate = begun(500, 0);
  gate.promoted = true;
  gate.score = gate.score_as_goat = gate.score_as_tiger = 0.5;
  run.store().finish_gate(gate);
  GateEntry lost = begun(700, 1);
  lost.promoted = false;
  lost.verdict = "abandoned: the candidate at 700 samples is lost";
  run.store().finish_gate(lost);
  EXPECT_THAT(run.status(),
              AllOf(HasSubstr("promoted: the candidate at 500 samples, without a game "
                              "(gate.mode = \"always\")\n"),
                    HasSubstr("abandoned: the candidate at 700 samples is lost\n"),
                    Not(HasSubstr("50.0 %"))));
  const std::string page = run.page();
  EXPECT_THAT(page, AllOf(HasSubstr("<td>promoted</td><td>generation 0</td><td>500</td>"
                                    "<td>no game</td><td>–</td>"),
                          HasSubstr("<td>abandoned</td>"), Not(HasSubstr("50.0 %"))));
  // A chart of scores begins with the first gate that has one.
  EXPECT_EQ(page.find("Gates: score"), std::string::npos);
  GateEntry played = begun(900, 1);
  played.pairs = 4;
  played.score = 0.75;
  played.promoted = true;
  run.store().finish_gate(played);
  EXPECT_NE(run.page().find("Gates: score"), std::string::npos);
}

TEST(RunReport, ChartsHowGamesEndAndHowFastTheyCome) {
  StoredRun run("endings");
  run.store().add_metrics(500, {{"termination/captures", 0.25},
                                {"termination/adjudicated", 0.75},
                                {"selfplay/games_per_second", 12},
                                {"training/reuse", 3.5}});
  const std::string page = run.page();
  for (const char* part : {"<figcaption>How games end</figcaption>", ">adjudicated</text>",
                           "<figcaption>Games per second</figcaption>",
                           "<figcaption>How often a row is used</figcaption>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(RunReport, PassesOverADamagedGameAndSaysSo) {
  StoredRun run("damaged_game");
  const GameRecord record = make_random_game({}, 1);
  for (int i = 0; i < 2; ++i) run.store().add_game(record, encode_game(record), 0);
  EXPECT_THAT(run.page(), HasSubstr("<h3>Game 2: "));
  run.execute("UPDATE games SET record = x'00' WHERE id = 2");
  EXPECT_THAT(run.page(), AllOf(HasSubstr("<h3>Game 1: "), Not(HasSubstr("<h3>Game 2: ")),
                                HasSubstr("1 game of the newest 2 cannot be read and is passed "
                                          "over: ")));
}

// Tables that were added after it was trained.
TEST(RunReport, OfAnOlderRunNeedsNoNewerTable) {
  StoredRun run("older");
  run.execute(
      "DROP TABLE suite_results; DROP TABLE ladder_games; DROP TABLE ladder_ratings; "
      "UPDATE meta SET value = '1' WHERE key = 'schema_version'");
  EXPECT_THAT(run.status(), HasSubstr("generation"));
  EXPECT_THAT(run.page(), HasSubstr("<h2>Generations</h2>"));
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
  const std::string labelled = line_chart({.series = {{"goat", "as goat", {{0, 0}, {10, 1}}}},
                                           .x_label = "a < b",
                                           .y_label = "score",
                                           .low = 0,
                                           .high = 1});
  EXPECT_THAT(labelled, AllOf(HasSubstr("d=\"M68.0 198.0 L424.0 32.0\""), HasSubstr(">a &lt; b<"),
                              HasSubstr("rotate(-90)\" text-anchor=\"middle\">score<")));
}

}  // namespace
}  // namespace baghzero::test
