#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/match_output.h"
#include "engine/notation.h"
#include "tests/cli/program.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

nlohmann::json report_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"match"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--json", "-"});
  const ProgramResult result = run_program(all);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

TEST(MatchProgram, ClassicAgentsPlayByTheGrammar) {
  const auto report = report_of({"alphabeta:2", "mcts:20", "--pairs", "3"});
  EXPECT_EQ(report["first"], "alphabeta:2");
  EXPECT_EQ(report["second"], "mcts:20");
  EXPECT_EQ(report["pairs"], 3);
}

TEST(MatchProgram, SprtStopsWhenItIsSure) {
  const auto report = report_of({"greedy", "random", "--sprt", "--elo1", "50", "--seed", "3"});
  EXPECT_EQ(report["sprt"]["decision"], "accept H1");
  EXPECT_GE(report["sprt"]["llr"].get<double>(), report["sprt"]["upper"].get<double>());
  EXPECT_LT(report["pairs"].get<int>(), 1000);
  const ProgramResult wrong =
      run_program({"match", "random", "random", "--elo0", "9", "--elo1", "3"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("--elo1"));
}

TEST(MatchProgram, AStoppedMatchGoesOnFromItsGames) {
  const fs::path folder = fresh_folder("match_resume");
  const std::string whole = (folder / "whole.txt").string();
  const std::string parts = (folder / "parts.txt").string();
  const std::vector<std::string> match = {"greedy", "mcts:30", "--pairs", "40", "--games"};
  const auto with_file = [&](const std::string& file, bool resume) {
    std::vector<std::string> arguments = match;
    arguments.push_back(file);
    if (resume) arguments.push_back("--resume");
    return arguments;
  };
  const auto report = report_of(with_file(whole, false));

  std::vector<std::string> arguments = with_file(parts, false);
  arguments.insert(arguments.begin(), "match");
  Program program(arguments, folder);
  while (program.running() && (!fs::exists(parts) || fs::file_size(parts) < 2000))
    std::this_thread::sleep_for(1ms);
  program.send(SIGKILL);
  program.wait();
  // Half a game more, as a power cut might leave.
  std::ofstream(parts, std::ios::app) << "[Round \"17\"]\n[First \"go";
  EXPECT_EQ(report_of(with_file(parts, true)), report);
  EXPECT_EQ(read_text(parts), read_text(whole));

  const ProgramResult again = run_program({"match", "greedy", "random", "--games", whole});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
  const ProgramResult other =
      run_program({"match", "greedy", "random", "--games", whole, "--resume"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("whole.txt:1: "), HasSubstr("mcts:30")));
}

// Speaks UGI as far as it must, and answers every search with what is no move.
std::string hopeless_engine() {
  return "ugi:while read a; do case $a in ugi) echo ugiok;; isready) echo readyok;; go*) echo "
         "bestmove \"none\";; esac; done";
}

TEST(MatchProgram, WithoutAWholePairThereIsNoScore) {
  const std::string text = match_as_text({MatchTally("one", "other").report(), {}});
  EXPECT_THAT(text, AllOf(HasSubstr("one against other, 0 pairs"), HasSubstr("no score"),
                          Not(HasSubstr("%"))));
}

TEST(MatchProgram, AnEngineThatNeverPlaysIsAnError) {
  for (const char* engine : {"ugi:exit 9", "ugi:no-such-program", "ugi,timeout=100ms:sleep 100"}) {
    const ProgramResult result = run_program({"match", "random", engine, "--pairs", "4"});
    EXPECT_EQ(result.exit_code, 1) << engine;
    EXPECT_EQ(result.out, "") << engine;
    EXPECT_THAT(result.err, HasSubstr("has never played a move: it ")) << engine;
  }
  EXPECT_EQ(run_program({"ladder", "random", "ugi:exit 9", "--pairs", "4"}).exit_code, 1);
}

TEST(MatchProgram, ForfeitsAreCountedAndReported) {
  const fs::path folder = fresh_folder("match_engine");
  const std::string games = (folder / "games.txt").string();
  const std::string engine = hopeless_engine();
  std::vector<std::string> match = {"match", "random", engine, "--pairs", "4", "--games", games};
  const ProgramResult text = run_program(match);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("ends            forfeit 8\n"),
                              HasSubstr("forfeits        8 by " + engine + " at 64 visits\n")));
  match.insert(match.end(), {"--json", "-", "--resume"});
  const ProgramResult resumed = run_program(match);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  const auto report = nlohmann::json::parse(resumed.out);
  EXPECT_EQ(report["score"], 1);
  EXPECT_EQ(report["terminations"], (nlohmann::json{{"forfeit", 8}}));
  EXPECT_EQ(report["forfeits"], (nlohmann::json{{"first", 0}, {"second", 8}}));
  EXPECT_THAT(text.err, HasSubstr("forfeits a game as goat: its move \"none\" in "));
  EXPECT_THAT(read_text(games), AllOf(HasSubstr("[Termination \"forfeit\"]"),
                                      HasSubstr("[Forfeit \"the player 'ugi:while read a;")));
  const ProgramResult list = run_program({"games", games, "--termination", "forfeit"});
  EXPECT_THAT(list.out, AllOf(HasSubstr("esac; done at 64 visits"), HasSubstr("forfeit"),
                              HasSubstr("8 of 8 games")));
}

TEST(MatchProgram, SeedsAreNumbersOf64Bits) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"match", "random", "greedy"},
        {"ladder", "random", "greedy"},
        {"judge", "random"},
        {"suite", "make", "--out", "no/such/suite.txt"}})
    for (const char* seed : {"-1", "18446744073709551616", "1.5", "one"}) {
      std::vector<std::string> arguments = command;
      arguments.push_back(std::string("--seed=") + seed);
      const ProgramResult result = run_program(arguments);
      EXPECT_EQ(result.exit_code, 2) << command[0] << seed;
      EXPECT_THAT(result.err, AllOf(HasSubstr("--seed: a whole number from 0 to "),
                                    HasSubstr(std::string("not \"") + seed + "\"")));
    }
  const ProgramResult largest =
      run_program({"match", "random", "greedy", "-n", "1", "--seed", "18446744073709551615"});
  EXPECT_EQ(largest.exit_code, 0) << largest.err;
}

TEST(MatchProgram, SaysWhenALimitMattersToNobody) {
  for (const char* limit : {"--time", "--visits"})
    for (const char* player : {"random", "alphabeta:2", "ugi,visits=3:x", "policy:x"}) {
      const ProgramResult result = run_program({"match", "greedy", player, limit, "50"});
      EXPECT_EQ(result.exit_code, 2) << player;
      EXPECT_THAT(result.err, AllOf(HasSubstr(limit), HasSubstr("none of these players")));
    }
  const ProgramResult both =
      run_program({"match", "greedy", "ugi:exit 1", "--time", "50", "--visits", "50"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, AllOf(HasSubstr("--time"), HasSubstr("--visits")));
}

TEST(MatchProgram, AGenerationThatIsNotThereIsNamedWithThoseThatAre) {
  const fs::path folder = fresh_folder("generations");
  const auto error_of = [&](const std::string& agent) {
    const ProgramResult result = run_program({"match", agent, "random", "--pairs", "1"});
    EXPECT_EQ(result.exit_code, 1);
    return result.err;
  };
  const std::string run = folder.string();
  EXPECT_THAT(error_of("gen:" + run + "/3"), HasSubstr(run + " holds no run"));
  {
    RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
    for (int number = 0; number < 3; ++number)
      store.add_generation({number, RunFolder::model_name(number), 0, 0, 0});
  }
  EXPECT_THAT(error_of("gen:" + run + "/3"),
              AllOf(HasSubstr("no gen-0003.bzn in the run " + run), HasSubstr("are 0 to 2")));
}

TEST(MatchProgram, PlaysTheOpeningsOfAFile) {
  const fs::path folder = fresh_folder("match_openings");
  const std::string openings = (folder / "openings.txt").string();
  const std::string games = (folder / "games.txt").string();
  std::ofstream(openings) << "# two of them\nG33 B1122\nG13 B1112 G14\n";
  std::ofstream(openings, std::ios::app) << "B3B/5/2G2/5/B3B B 1\n";
  const auto report = report_of({"random", "greedy", "--openings", openings, "--games", games});
  EXPECT_EQ(report["pairs"], 3);
  EXPECT_THAT(read_text(games), HasSubstr("1. G33 B1122 2. "));
  const ProgramResult many =
      run_program({"match", "random", "greedy", "--openings", openings, "--pairs", "4"});
  EXPECT_EQ(many.exit_code, 1);
  EXPECT_THAT(many.err, HasSubstr("has 3"));
}

TEST(GamesProgram, ListsFiltersShowsAndExports) {
  const fs::path folder = fresh_folder("games");
  const std::string file = (folder / "games.txt").string();
  run_program({"match", "random", "greedy", "--pairs", "20", "--games", file});

  const ProgramResult list = run_program({"games", file, "--limit", "3"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out,
              AllOf(HasSubstr("random - greedy"), HasSubstr("40 of 40 games, the first 3")));

  const ProgramResult captures = run_program(
      {"games", file, "--termination", "captures", "--result", "tigers", "--json", "-"});
  std::istringstream lines(captures.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto game = nlohmann::json::parse(line);
    EXPECT_EQ(game["termination"], "captures");
    EXPECT_EQ(game["outcome"], "tigers_win");
    EXPECT_EQ(game["moves"].size(), game["plies"].get<std::size_t>());
  }
  EXPECT_GT(count, 5);

  const ProgramResult text = run_program({"games", file, "--text", "-"});
  EXPECT_EQ(text.out, read_text(file));

  const ProgramResult boards = run_program({"games", file, "--show", "2", "--ply", "1", "--ascii"});
  EXPECT_THAT(boards.out, AllOf(HasSubstr("after ply 1"), HasSubstr("tigers to move, 19 in hand"),
                                Not(HasSubstr("after ply 2"))));
  EXPECT_THAT(run_program({"games", file, "--openings", "2"}).out,
              HasSubstr("openings of 2 plies up to symmetry"));

  EXPECT_THAT(run_program({"games", file, "--show", "41"}).err, HasSubstr("no game 41"));
  EXPECT_THAT(run_program({"games", file, "--result", "x"}).err, HasSubstr("\"x\" is no result"));
  EXPECT_THAT(run_program({"games", file, "--termination", "x"}).err, HasSubstr("x"));
  EXPECT_THAT(run_program({"games", folder.string()}).err, HasSubstr("holds no run"));
  EXPECT_EQ(run_program({"games", "no/such"}).exit_code, 2);

  const std::string name(600, 'n');
  std::ofstream(file) << "[Goats \"" << name << "\"]\n[Tigers \"B\"]\n1. G33 B1122 *\n\n";
  EXPECT_THAT(run_program({"games", file}).out, HasSubstr(name + " - B  unfinished"));
}

}  // namespace
}  // namespace baghzero::test
