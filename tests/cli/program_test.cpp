#include "tests/cli/program.h"

#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "engine/notation.h"
#include "nn/inference.h"

namespace baghzero::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Program, ReportsThatCannotBeWrittenAreNamedBeforeTheWork) {
  const std::string file = (fresh_folder("no_report") / "missing" / "report").string();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"match", "random", "random", "--pairs", "1000", "--json"},
        {"ladder", "random", "greedy", "--minutes", "100", "--csv"},
        {"ladder", "random", "greedy", "--minutes", "100", "--html"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back(file);
    expect_error(run_program(arguments), 1, "cannot write " + file + ": No such file");
  }
}

TEST(Output, IsCheckedWithoutATrace) {
  const fs::path folder = fresh_folder("check_output");
  fs::create_symlink("later", folder / "link");
  check_output(folder / "link");
  check_output(folder / "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  EXPECT_THROW(check_output(folder), std::runtime_error);
  // Whoever waits for the other end of a pipe goes on waiting.
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  check_output(pipe);
  pollfd state{reader, POLLIN, 0};
  ASSERT_GE(::poll(&state, 1, 0), 0);
  EXPECT_EQ(state.revents & POLLHUP, 0);
  ::close(reader);
}

TEST(Program, HelpNamesEveryCommandAndGivesExamples) {
  const ProgramResult help = run_program({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"train", "match", "ladder", "games", "analyze", "play", "perft",
                              "bench", "config", "solve", "probe", "judge", "suite", "export"}) {
    EXPECT_THAT(help.out, HasSubstr(std::string("  ") + command + " "));
    const ProgramResult own = run_program({command, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_THAT(own.out, AllOf(HasSubstr("Examples:"), HasSubstr(command)));
  }
  EXPECT_THAT(help.out, HasSubstr("baghzero train configs/quick.toml"));
  EXPECT_THAT(run_program({"match", "--help"}).out, HasSubstr("net:FILE"));
}

TEST(Program, VersionIsOneLine) {
  const ProgramResult result = run_program({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("baghzero [0-9.]*\n"));
}

TEST(Program, WrongUsageIsExitCodeTwo) {
  expect_error(run_program({"nonsense"}), 2, "nonsense");
  expect_error(run_program({"perft"}), 2, "--depth");
  expect_error(run_program({"perft", "--depth", "abc"}), 2,
               "--depth: a whole number from 1 to 50 is wanted, not \"abc\"");
  expect_error(run_program({"perft", "--depth", "3.5"}), 2, "not \"3.5\"");
  expect_error(run_program({"perft", "--depth"}), 2, "--depth wants a value");
  expect_error(run_program({"match", "random", "greedy", "--elo1", "x"}), 2,
               "--elo1 wants a number, not \"x\"");
  expect_error(run_program({"match", "random"}), 2, "B is required");
  expect_error(run_program({"match", "random", "gready"}), 2, "gready");
  expect_error(run_program({"train"}), 2, "CONFIG");
  EXPECT_EQ(run_program({}).exit_code, 2);
  expect_error(run_program({"nonsense"}), 2, "unknown command \"nonsense\" (see");
  expect_error(run_program({"trian", "x"}), 2,
               "unknown command \"trian\"; did you mean \"train\"? (see");
  expect_error(run_program({"match", "random", "greedy", "one", "two"}), 2,
               "unexpected arguments: one two (see `baghzero match --help`)");
  expect_error(run_program({"train", "--run"}), 2, "--run");
}

// A folder without a run, or with an empty database: the same sentence from every command, which
// leaves nothing behind.
TEST(Program, AFolderWithoutARunIsNamed) {
  const fs::path folder = fresh_folder("no_run");
  const std::string root = folder.string();
  const auto refuse_all = [&](const std::string& fault) {
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"status", root},
                                               {"report", root, "--out", "-"},
                                               {"check", root},
                                               {"games", root},
                                               {"export-games", root, "--out", root + "/out"},
                                               {"import-games", root, root},
                                               {"train", "--resume", "--run", root}})
      expect_error(run_program(command), 1, fault);
    expect_error(run_program({"ladder", root}), 2, fault);
  };
  refuse_all(root + " holds no run (no run.sqlite)");
  EXPECT_TRUE(fs::is_empty(folder));
  std::ofstream(folder / "run.sqlite").close();
  refuse_all(root + " holds no run (its run.sqlite is empty)");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST(Program, PerftCounts) {
  const ProgramResult text = run_program({"perft", "--depth", "5"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, StartsWith("depth 5: 1,304,788 leaves"));  // tests/data/perft.csv

  const ProgramResult json = run_program({"perft", "--depth", "3", "--divide", "--json"});
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed["depth"], 3);
  std::uint64_t sum = 0;
  for (const auto& [move, leaves] : parsed["divide"].items()) sum += leaves.get<std::uint64_t>();
  EXPECT_EQ(sum, parsed["leaves"].get<std::uint64_t>());
  EXPECT_EQ(parsed["divide"].size(), 21U);
}

TEST(Program, FenWithFiveTigersIsOneClearLine) {
  expect_error(run_program({"perft", "--depth", "1", "--fen", "B3B/5/2B2/5/B3B G 0"}), 1, "tiger");
}

TEST(Program, PerftStartsWhereItIsTold) {
  const std::string start = run_program({"perft", "--depth", "3", "--json"}).out;
  for (const char* same : {"startpos", "B3B/5/5/5/B3B G 0"}) {
    const ProgramResult result = run_program({"perft", "--depth", "3", "--json", "--fen", same});
    EXPECT_EQ(nlohmann::json::parse(result.out)["leaves"], nlohmann::json::parse(start)["leaves"]);
  }
  expect_error(run_program({"perft", "--depth", "1", "--fen", " "}), 1,
               "the position is missing; it is \"startpos\" or a FEN");
  expect_error(run_program({"perft", "--depth", "1", "--fen", ""}), 1, "the position is missing");
}

TEST(Program, ConfigListsChecksAndRoundTrips) {
  const ProgramResult toml = run_program({"config", "--toml", "--set", "run.seed=77"});
  EXPECT_EQ(toml.exit_code, 0);
  const fs::path file = fresh_folder("config") / "again.toml";
  std::ofstream(file) << toml.out;
  EXPECT_EQ(run_program({"config", file.string(), "--toml"}).out, toml.out);
  EXPECT_THAT(run_program({"config", file.string()}).out, HasSubstr("seed = 77   (default 1)"));
  EXPECT_EQ(nlohmann::json::parse(run_program({"config", "--json"}).out)[0]["key"], "rules.goats");
}

TEST(Program, ConfigExplainsOneKeyOrSection) {
  const ProgramResult key = run_program({"config", "training.batch"});
  EXPECT_EQ(key.exit_code, 0) << key.err;
  EXPECT_THAT(key.out, AllOf(StartsWith("[training]"), HasSubstr("batch = 256"),
                             Not(HasSubstr("learning_rate ="))));
  EXPECT_THAT(run_program({"config", "gate"}).out,
              AllOf(StartsWith("[gate]"), HasSubstr("max_pairs ="), Not(HasSubstr("batch ="))));
  expect_error(run_program({"config", "training.bach"}), 1, "did you mean");
}

TEST(Program, AFolderIsNoConfiguration) {
  const fs::path folder = fresh_folder("folder_of_configurations");
  std::ofstream(folder / "some.toml") << "";
  expect_error(
      run_program({"train", folder.string()}), 1,
      "is a folder; name one configuration file, such as " + (folder / "some.toml").string());
}

TEST(Program, RefusesWhatTheMachineCannotHold) {
  const fs::path folder = fresh_folder("too_large");
  std::ofstream(folder / "large.toml")
      << "[inference]\ndevice = \"cpu\"\n[training]\ndevice = \"cpu\"\n"
      << "[selfplay]\nworkers = 1024\nslots_per_worker = 65536\nfull_visits = 10000\n";
  const fs::path run = folder / "run";
  expect_error(run_program({"train", (folder / "large.toml").string(), "--run", run.string()}), 1,
               "lower selfplay.slots_per_worker");
  EXPECT_FALSE(fs::exists(run));
}

TEST(Program, WrongKeyIsOneClearLine) {
  const fs::path file = fresh_folder("wrong_key") / "wrong.toml";
  std::ofstream(file) << "[training]\nbach = 3\n";
  expect_error(run_program({"train", file.string()}), 1,
               "wrong.toml:2: unknown key \"training.bach\"; did you mean "
               "\"training.batch\"?");
}

TEST(Program, MissingFilesAreOneClearLine) {
  expect_error(run_program({"train", "no/such.toml"}), 1, "no/such.toml");
  expect_error(run_program({"match", "net:no/such.bzn", "random"}), 1, "no/such.bzn");
  expect_error(run_program({"train", "--resume", "--run", "no/such/run"}), 1,
               "no/such/run holds no run");
}

TEST(Program, OutputThatCannotBeWrittenIsAFailure) {
  const fs::path folder = fresh_folder("full_output");
  // Every write to this device fails as on a full disk.
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"perft", "--depth", "1"},
        {"--help"},
        {"match", "--help"},
        {"--version"},
        {"config", "--markdown"},
        {"match", "random", "greedy", "-n", "1", "--json", "-"}}) {
    fs::create_symlink("/dev/full", folder / "stdout");
    Program program(arguments, folder);
    fs::remove(folder / "stdout");  // open by now, and endless to read
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit_code, 1) << arguments[0];
    EXPECT_THAT(result.err, HasSubstr("cannot write to standard output")) << arguments[0];
  }
}

TEST(Program, CudaWithoutCudaIsOneClearLineAndLeavesNothing) {
  bool has_cuda = true;
  try {
    InferenceSettings cuda;
    cuda.device = "cuda";
    describe_device(cuda);
  } catch (const std::runtime_error&) {
    has_cuda = false;
  }
  // A device number that no machine has is refused where there is a GPU.
  const std::string device = has_cuda ? "cuda:99" : "cuda";
  const fs::path run = fresh_folder("cuda") / "run";
  const fs::path config = fresh_folder("cuda_config") / "cuda.toml";
  std::ofstream(config) << "[inference]\ndevice = \"" << device << "\"\n";
  expect_error(run_program({"train", config.string(), "--run", run.string()}), 1, "cuda");
  EXPECT_FALSE(fs::exists(run));
}

TEST(Program, MatchReportsScoreRolesAndGames) {
  const fs::path folder = fresh_folder("match");
  const std::string json_file = (folder / "report.json").string();
  const std::string games_file = (folder / "games.txt").string();
  const ProgramResult result = run_program({"match", "random", "greedy", "--pairs", "20", "--seed",
                                            "5", "--json", json_file, "--games", games_file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(StartsWith("random against greedy, 20 pairs of games\n"), HasSubstr("Elo"),
                    Not(HasSubstr("LLR")), HasSubstr("as goat"), HasSubstr("as tiger"),
                    HasSubstr("draws"), HasSubstr("average length"), HasSubstr("distinct games")));
  const auto report = nlohmann::json::parse(read_text(json_file));
  EXPECT_EQ(report["pairs"], 20);
  EXPECT_EQ(report["sprt"], nullptr);
  EXPECT_EQ(report["as_goat"]["games"], 20);
  EXPECT_LT(report["score"].get<double>(), 0.5);
  EXPECT_GT(report["distinct_games"].get<int>(), 30);

  // Every game is there and can be read back; their results add up to the report.
  std::ifstream games(games_file);
  std::string line;
  int count = 0;
  std::map<Outcome, int> outcomes;
  while (std::getline(games, line))
    if (!line.empty() && line.front() != '[') {
      ++outcomes[parse_game(line).outcome()];
      ++count;
    }
  EXPECT_EQ(count, 40);
  EXPECT_EQ(outcomes[Outcome::GoatsWin],
            report["as_goat"]["wins"].get<int>() + report["as_tiger"]["losses"].get<int>());

  const ProgramResult again =
      run_program({"match", "random", "greedy", "--pairs", "20", "--seed", "5", "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(again.out), report);
}

TEST(Program, BenchSignatureIsReproducible) {
  const ProgramResult first = run_program({"bench", "--signature"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.out, testing::MatchesRegex("[0-9a-f]*\n"));
  EXPECT_EQ(run_program({"bench", "--signature"}).out, first.out);
}

}  // namespace
}  // namespace baghzero::test
