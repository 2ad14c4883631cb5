#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/notation.h"
#include "engine/random.h"
#include "nn/frozen_network.h"
#include "nn/model_file.h"
#include "tests/cli/program.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

GameRecord random_record(int generation, std::uint64_t seed) {
  Random random(seed);
  Game game;
  GameRecord record;
  record.first_generation = record.last_generation = generation;
  record.start = game.start();
  while (!game.over()) {
    const auto choice = random.below(static_cast<std::uint32_t>(game.legal().size()));
    const Action action = game.legal()[static_cast<int>(choice)];
    record.moves.emplace_back().action = action;
    game.play(action);
  }
  record.outcome = game.outcome();
  record.termination = game.termination();
  return record;
}

// A run of three small generations with some games each.
fs::path make_run(const std::string& name) {
  const fs::path folder = fresh_folder(name);
  fs::create_directories(folder / "models");
  RunStore store(folder / "run.sqlite", RunStore::Mode::Create);
  for (int generation = 0; generation < 3; ++generation) {
    const NetworkPtr network = make_random_network({.blocks = 1, .channels = 8},
                                                   static_cast<std::uint64_t>(generation) + 1);
    save_network(*with_generation(*network, generation),
                 folder / RunFolder::model_name(generation));
    GenerationEntry entry;
    entry.number = generation;
    entry.file = RunFolder::model_name(generation);
    store.add_generation(entry);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const GameRecord game =
          random_record(generation, 100 * static_cast<std::uint64_t>(generation) + seed);
      store.add_game(game, encode_game(game), 1);
    }
  }
  return folder;
}

std::int64_t stored_games(const fs::path& run) {
  sqlite::Database database(run / "run.sqlite", sqlite::Access::ReadOnly);
  sqlite::Statement games =
      database.prepare("SELECT coalesce(sum(goat_wins + draws + tiger_wins), 0) FROM ladder_games");
  return games.next() ? games.integer(0) : 0;
}

// Games of all players of the last ladder together: twice those it rates, but for self-play.
std::int64_t rated_games(const fs::path& run) {
  sqlite::Database database(run / "run.sqlite", sqlite::Access::ReadOnly);
  sqlite::Statement games = database.prepare(
      "SELECT sum(games) FROM ladder_ratings WHERE ladder = (SELECT max(ladder) FROM "
      "ladder_ratings)");
  return games.next() ? games.integer(0) : 0;
}

TEST(LadderProgram, RatesAgents) {
  const fs::path folder = fresh_folder("ladder_agents");
  const std::string csv = (folder / "ladder.csv").string();
  const std::string html = (folder / "ladder.html").string();
  const ProgramResult result = run_program(
      {"ladder", "random", "greedy", "alphabeta:1", "--pairs", "30", "--csv", csv, "--html", html});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("alphabeta:1"), HasSubstr("greedy is the anchor"),
                                HasSubstr("Score of the row")));
  std::istringstream lines(read_text(csv));
  std::string line;
  std::vector<std::string> rows;
  while (std::getline(lines, line)) rows.push_back(line);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[0], HasSubstr("elo_error_95"));
  EXPECT_THAT(rows[1], HasSubstr("1,\"alphabeta:1\",,"));
  EXPECT_THAT(rows[3], HasSubstr("3,\"random\",,"));
  const std::string page = read_text(html);
  EXPECT_THAT(page, AllOf(HasSubstr("<svg"), HasSubstr("greedy"), HasSubstr("</html>"),
                          Not(HasSubstr("http")), Not(HasSubstr("<script"))));
}

TEST(LadderProgram, PlaysForPartsOfASecond) {
  const ProgramResult result = run_program({"ladder", "random", "greedy", "--minutes", "0.002"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Score of the row"));
  EXPECT_EQ(run_program({"ladder", "random", "greedy", "--minutes", "0"}).exit_code, 2);
}

TEST(LadderProgram, KeepsARunsGamesAndBuildsOnThem) {
  const fs::path run = make_run("ladder_run");
  const std::vector<std::string> ladder = {
      "ladder", run.string(), "--pairs", "12", "--visits", "4", "--baselines", "random;greedy"};
  const ProgramResult first = run_program(ladder);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("ladder_run/gen-0002 at 4 visits"), HasSubstr("greedy")));
  EXPECT_EQ(run_program(ladder).exit_code, 0);

  EXPECT_EQ(stored_games(run), 2 * 24);
  sqlite::Database database(run / "run.sqlite", sqlite::Access::ReadOnly);
  sqlite::Statement ratings =
      database.prepare("SELECT count(*), sum(games) FROM ladder_ratings GROUP BY ladder");
  ASSERT_TRUE(ratings.next());
  EXPECT_EQ(ratings.integer(0), 5);
  const std::int64_t games_of_first = ratings.integer(1);
  ASSERT_TRUE(ratings.next());
  EXPECT_GT(ratings.integer(1), games_of_first) << "the second ladder builds on the first";
}

TEST(LadderProgram, RatesNewGamesOnlyIfToldTo) {
  const fs::path run = make_run("ladder_fresh");
  std::vector<std::string> ladder = {"ladder",   run.string(), "--pairs",     "10",
                                     "--visits", "0",          "--baselines", "random"};
  EXPECT_EQ(run_program(ladder).exit_code, 0);
  EXPECT_EQ(stored_games(run), 20);
  ladder.emplace_back("--fresh");
  const ProgramResult fresh = run_program(ladder);
  EXPECT_EQ(fresh.exit_code, 0) << fresh.err;
  EXPECT_EQ(stored_games(run), 40) << "old games and new ones, each of them once";
  EXPECT_LE(rated_games(run), 40);
  EXPECT_GE(rated_games(run), 20);
}

TEST(LadderProgram, TakesAPlayerNamedTwiceOnce) {
  const fs::path run = make_run("ladder_twice");
  const std::string name = run.string();
  const ProgramResult result =
      run_program({"ladder", name, name + "/", "random", "gen:" + name + "/2", "--pairs", "4",
                   "--visits", "0", "--baselines", "random;random", "--csv", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::StartsWith("place,player,generation,"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 1 + 4) << result.out;
}

TEST(LadderProgram, KeepsTheGamesOfBeforeAKill) {
  const fs::path run = make_run("ladder_kill");
  std::vector<std::string> ladder = {"ladder",   run.string(), "--pairs",     "1000000",
                                     "--visits", "0",          "--baselines", "random"};
  {
    Program program(ladder, fresh_folder("ladder_kill_output"));
    while (program.running() && stored_games(run) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(program.running());
  }  // killed
  const std::int64_t kept = stored_games(run);
  EXPECT_GT(kept, 0);
  EXPECT_EQ(kept % 2, 0) << "whole pairs";
  ladder[3] = "4";
  const ProgramResult rest = run_program(ladder);
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(stored_games(run), kept + 8);
  EXPECT_GE(rated_games(run), kept + 8);
}

TEST(LadderProgram, RefusesWrongUsage) {
  EXPECT_EQ(run_program({"ladder"}).exit_code, 2);
  EXPECT_THAT(run_program({"ladder", "random"}).err, HasSubstr("two players"));
  EXPECT_THAT(run_program({"ladder", "random", "gready"}).err, HasSubstr("gready"));
  EXPECT_THAT(run_program({"ladder", fresh_folder("no_run").string()}).err, HasSubstr("no run"));
  EXPECT_THAT(run_program({"ladder", "random", "greedy", "--anchor", "x"}).err,
              HasSubstr("the anchor \"x\""));
}

TEST(GamesProgram, ReadsARun) {
  const std::string run = make_run("games_run").string();
  const ProgramResult list = run_program({"games", run, "--generation", "1-2", "--limit", "4"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("20 of 30 games, the first 4 shown"));
  const ProgramResult json = run_program({"games", run, "--generation", "2", "--json", "-"});
  std::istringstream lines(json.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(nlohmann::json::parse(line)["first_generation"], 2);
  EXPECT_EQ(count, 10);
  EXPECT_THAT(run_program({"games", run, "--show", "30"}).out, HasSubstr("result: "));
  EXPECT_THAT(run_program({"games", run, "--show", "31"}).err, HasSubstr("no game 31"));

  // What is exported is a file that the command reads.
  const fs::path file = fresh_folder("games_export") / "games.txt";
  run_program({"games", run, "--text", file.string()});
  EXPECT_THAT(run_program({"games", file.string()}).out, HasSubstr("30 of 30 games"));
}

}  // namespace
}  // namespace baghzero::test
