// `solve` and `probe` as a user meets them.
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/solver/database.h"
#include "engine/solver/suite.h"
#include "nn/model_file.h"
#include "tests/cli/program.h"
#include "tests/support/drawn_database.h"

namespace baghzero::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::map<std::string, json> values_of_moves(const json& probe) {
  std::map<std::string, json> values;
  for (const json& move : probe["moves"]) {
    EXPECT_EQ(move.size(), 2U);
    values[move["move"]] = move["value"];
  }
  return values;
}

constexpr const char* kFourCaptured = "GGGGG/GGGGG/GGB1B/GGGG1/BB3 B 20";

TEST(ProbeProgram, AnswersInTheDocumentedForm) {
  const fs::path folder = fresh_folder("drawn");
  make_drawn_movement(folder);
  const ProgramResult result =
      run_program({"probe", "--db", folder.string(), "--fen", kFourCaptured, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json probe = json::parse(result.out);
  EXPECT_EQ(probe.size(), 3U);
  EXPECT_EQ(probe["value"], "draw");
  EXPECT_EQ(probe["plies"], nullptr);
  const auto values = values_of_moves(probe);
  EXPECT_EQ(values.at("B5253"), "draw");
  EXPECT_EQ(values.at("Bx3353"), "win");
}

TEST(ProbeProgram, SearchesTheLastPlacementsAndSaysWhenItCannot) {
  const fs::path folder = fresh_folder("drawn");
  make_drawn_movement(folder);
  const std::string db = folder.string();
  // The last goat shuts the tigers in, or does not.
  const char* const last_goat = "BGG1G/BGGGG/BGGGG/BGGG1/GGGG1 G 19";
  const json probe =
      json::parse(run_program({"probe", "--db", db, "--fen", last_goat, "--json"}).out);
  EXPECT_EQ(probe["plies"], nullptr);
  EXPECT_EQ(values_of_moves(probe).size(), 3U);

  const ProgramResult start = run_program({"probe", "--db", db});
  EXPECT_EQ(start.exit_code, 0);
  EXPECT_THAT(start.out, AllOf(HasSubstr("Not known"), HasSubstr("unknown")));
  const json unknown = json::parse(run_program({"probe", "--db", db, "--json"}).out);
  EXPECT_EQ(unknown["value"], nullptr);
  EXPECT_EQ(unknown["moves"].size(), 21U);
}

TEST(ProbeProgram, DrawsTheBoardAndSaysWhoWins) {
  const fs::path folder = fresh_folder("drawn");
  make_drawn_movement(folder);
  // Five goats are gone.
  const ProgramResult over =
      run_program({"probe", "--db", folder.string(), "--fen", "GGGGG/GGGGG/GGB1B/GG3/BBG2 G 20"});
  EXPECT_EQ(over.exit_code, 0) << over.err;
  EXPECT_THAT(over.out, HasSubstr("Tigers win"));
}

TEST(ProbeProgram, OneSentenceForWhatIsWrong) {
  const fs::path folder = fresh_folder("drawn");
  const std::string db = folder.string();
  expect_error(run_program({"probe", "--db", db}), 1, "there is no solved movement phase");
  make_drawn_movement(folder);
  expect_error(run_program({"probe", "--db", db, "--fen", "5/5 G 3"}), 1, "5/5");
  const fs::path file = movement_file(folder, 4);
  fs::resize_file(file, fs::file_size(file) - 100);
  expect_error(run_program({"probe", "--db", db}), 1, "it is truncated");
  expect_error(run_program({"solve", "--movement-only", "--out", db}), 1, "it is truncated");
  std::ofstream(file) << "something else";
  expect_error(run_program({"probe", "--db", db}), 1, "is not a part of a solved game");
}

TEST(SolvedProgram, HintsCallTheProgramAsItWasCalled) {
  const fs::path folder = fresh_folder("hints");
  const std::string db = folder.string();
  setenv("BAGHZERO_COMMAND", "./run.sh", 1);
  const ProgramResult missing = run_program({"probe", "--db", db});
  make_drawn_movement(folder);
  const ProgramResult unknown = run_program({"probe", "--db", db});
  const ProgramResult key = run_program({"config", "solver.db"});
  unsetenv("BAGHZERO_COMMAND");
  EXPECT_THAT(missing.err, HasSubstr("make it with `./run.sh solve --out " + db));
  EXPECT_THAT(unknown.out, HasSubstr("`./run.sh solve --out " + db + "` makes the rest"));
  EXPECT_THAT(key.out, HasSubstr("as made by `./run.sh solve`"));
}

TEST(JudgeProgram, OneSentenceForWhatIsWrong) {
  const fs::path folder = fresh_folder("drawn");
  const std::string db = folder.string();
  expect_error(run_program({"judge", "greedy", "--db", db}), 1,
               "there is no solved movement phase");
  make_drawn_movement(folder);
  const std::string suite = (folder / "suite.txt").string();
  expect_error(run_program({"judge", "greedy", "--suite", suite}), 1, "cannot read " + suite);
  std::ofstream(suite) << "baghzero suite 1, seed 1, 0 positions\nchecksum 0\n";
  expect_error(run_program({"judge", "greedy", "--suite", suite}), 1, "it is damaged");
  EXPECT_EQ(run_program({"judge", "gready"}).exit_code, 2);
}

// Before a game is played, and naming what was typed.
TEST(SolvedProgram, SaysThatTheMovementPhaseAloneIsTooLittle) {
  const fs::path folder = fresh_folder("movement_alone");
  make_drawn_movement(folder);
  const std::string db = folder.string();
  const std::string games = (folder / "games.txt").string();
  const std::string run = (folder / "run").string();
  const std::string way_out =
      db + " holds the movement phase alone; `baghzero solve --out " + db + "` makes the rest";
  const std::string perfect = "perfect:" + db;
  expect_error(run_program({"match", "random", perfect, "--games", games}), 1,
               "the agent perfect needs the solved game from the first moves on, but " + way_out);
  EXPECT_FALSE(fs::exists(games));
  expect_error(run_program({"ladder", "random", "greedy", perfect}), 1, way_out);
  expect_error(run_program({"train", BAGHZERO_SOURCE_DIR "/configs/quick.toml", "--run", run,
                            "--set", "evaluation.opponents=" + perfect}),
               1, way_out);
  EXPECT_FALSE(fs::exists(run));
  expect_error(run_program({"judge", "greedy", "--db", db}), 1,
               "the agent perfect needs the solved game from the first moves on, but " + way_out);
  expect_error(run_program({"judge", "greedy", "--opponent", "random", "--db", db}), 1, way_out);
  expect_error(run_program({"suite", "make", "--out", games, "--db", db}), 1,
               "a suite needs the whole solved game, but " + way_out);
  EXPECT_THAT(run_program({"probe", "--db", db}).out, HasSubstr(way_out));
  expect_error(run_program({"match", "random", perfect, "--set", "rules.goats=10"}), 1,
               "games with 20 goats that five captures win");

  // It is enough for games that begin there.
  const std::string openings = (folder / "openings.txt").string();
  std::ofstream(openings) << kFourCaptured << "\n";
  const ProgramResult result = run_program({"match", "random", perfect, "--openings", openings});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(JudgeProgram, RunsASuiteWithoutTheSolvedGame) {
  SuitePosition entry;
  entry.keeping.push_back(placement_action(1));
  const fs::path file = fresh_folder("suite") / "suite.txt";
  std::ofstream(file) << format_suite({entry}, 1);
  const json report =
      json::parse(run_program({"judge", "random", "--suite", file.string(), "--json"}).out);
  EXPECT_EQ(report["suite"]["total"]["positions"], 1);
  EXPECT_EQ(report["suite"]["rows"].size(), 8U);
}

TEST(JudgeProgram, ASuiteGoesOnWhenAnEngineFails) {
  SuitePosition entry;
  entry.keeping.push_back(placement_action(1));
  const fs::path file = fresh_folder("suite_forfeit") / "suite.txt";
  std::ofstream(file) << format_suite({entry, entry, entry}, 1);
  const std::string engine =
      "ugi:while read a; do case $a in ugi) echo ugiok;; isready) echo readyok;; go*) echo "
      "bestmove none;; esac; done";
  const ProgramResult result = run_program({"judge", engine, "--suite", file.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("forfeited                       3   counted as not kept"),
                    HasSubstr("Moves that keep the value")));
  EXPECT_THAT(result.err, HasSubstr("forfeits a position: its move \"none\""));
  const ProgramResult never = run_program({"judge", "ugi:exit 3", "--suite", file.string()});
  EXPECT_EQ(never.exit_code, 1);
  EXPECT_THAT(never.err, HasSubstr("the engine \"exit 3\" has never played a move"));
}

TEST(JudgeProgram, JudgesTheValuesOfANetworkInASuite) {
  SuitePosition entry;
  entry.keeping.push_back(placement_action(1));
  const fs::path folder = fresh_folder("values");
  const std::string suite = (folder / "suite.txt").string();
  std::ofstream(suite) << format_suite({entry}, 1);
  const std::string model = (folder / "model.bzn").string();
  NetworkSettings network;
  network.blocks = 1;
  network.channels = 8;
  network.squeeze_channels = 0;
  save_network(*make_random_network(network, 1), model, {});
  const json report = json::parse(
      run_program({"judge", "net:" + model, "--visits", "2", "--suite", suite, "--json"}).out);
  EXPECT_EQ(report["suite"]["total"]["positions"], 1);
  EXPECT_EQ(report["policy"]["total"]["positions"], 1);
  const json values = report["values"]["total"];
  EXPECT_EQ(values["positions"], 1);
  EXPECT_GT(values["cross_entropy"], 0);
  EXPECT_EQ(report["values"]["rows"].size(), 8U);
  const ProgramResult text =
      run_program({"judge", "net:" + model, "--visits", "0", "--suite", suite});
  EXPECT_THAT(text.out, AllOf(HasSubstr("cross-entropy"), HasSubstr("without search")));
}

TEST(TrainProgram, NamesWhatTheSolverNeeds) {
  const fs::path folder = fresh_folder("train");
  const std::string run = (folder / "run").string();
  const auto train = [&](std::vector<std::string> settings) {
    std::vector<std::string> arguments = {"train", BAGHZERO_SOURCE_DIR "/configs/quick.toml",
                                          "--run", run};
    for (const std::string& setting : settings) {
      arguments.push_back("--set");
      arguments.push_back(setting);
    }
    return run_program(arguments);
  };
  expect_error(train({"search.solver=true"}), 1, "need solver.db");
  expect_error(train({"selfplay.adjudicate=solver", "solver.db=" + run, "rules.goats=19"}), 1,
               "rules.goats = 20");
  // Also where nothing asks for it yet.
  for (const char* use : {"selfplay.adjudicate=solver", "selfplay.adjudicate=none"})
    expect_error(train({use, "solver.db=" + run}), 1,
                 "solver.db: there is no solved movement phase in " + run);
  EXPECT_FALSE(fs::exists(run));
  expect_error(train({"solver.suite=" + run + "/suite.txt"}), 1,
               "cannot read " + run + "/suite.txt");
  EXPECT_FALSE(fs::exists(folder / "run" / "run.sqlite"));
}

TEST(SolveProgram, ChecksWhatItIsTold) {
  EXPECT_EQ(run_program({"solve"}).exit_code, 2);
  EXPECT_EQ(run_program({"solve", "--out", "x", "--threads", "0"}).exit_code, 2);
  const fs::path folder = fresh_folder("file_in_the_way");
  std::ofstream(folder / "solved") << "x";
  expect_error(run_program({"solve", "--movement-only", "--out", (folder / "solved").string()}), 1,
               "cannot create the folder");
}

TEST(SolveProgram, StopsCleanlyWhenAsked) {
  const fs::path folder = fresh_folder("stopped");
  Program program({"solve", "--out", (folder / "db").string()}, folder);
  while (program.running() && !fs::exists(folder / "db")) std::this_thread::sleep_for(5ms);
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_THAT(result.out, HasSubstr("the same command goes on"));
  for (const auto& entry : fs::directory_iterator(folder / "db"))
    EXPECT_EQ(entry.path().extension(), ".bzs");
}

// Killed again and again, each time a little later.
TEST(SolveProgramSlow, IsKilledAndGoesOn) {
  const fs::path folder = fresh_folder("killed");
  const fs::path db = folder / "db";
  const std::vector<std::string> arguments = {"solve", "--out", db.string(), "--down-to", "18"};
  std::size_t files = 0;
  for (int round = 0; round < 6; ++round) {
    Program program(arguments, folder);
    const auto count = [&] {
      std::size_t whole = 0;
      if (!fs::exists(db)) return whole;
      for (const auto& entry : fs::directory_iterator(db))
        whole += entry.path().extension() == ".bzs";
      return whole;
    };
    while (program.running() && count() <= files) std::this_thread::sleep_for(5ms);
    std::this_thread::sleep_for(round * 20ms);
    if (program.running()) program.send(SIGKILL);
    program.wait();
    EXPECT_GT(count(), files);
    files = count();
  }
  const ProgramResult last = run_program(arguments);
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_THAT(last.out, HasSubstr("layers solved"));
  const json probe = json::parse(run_program({"probe", "--db", db.string(), "--json", "--fen",
                                              "GGGGG/GGGGG/GGBGG/GGGB1/GBGGB G 20"})
                                     .out);
  EXPECT_EQ(probe["value"], "loss");
  EXPECT_EQ(probe["plies"], 66);
}

}  // namespace
}  // namespace baghzero::test
