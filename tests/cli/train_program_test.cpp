// Whole runs of the real program, as small as runs can be.
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config.h"
#include "cli/config_table.h"
#include "tests/cli/program.h"

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
using testing::HasSubstr;

constexpr const char* kTinyConfig =
    "[rules]\nmax_plies = 60\n"
    "[network]\nblocks = 1\nchannels = 8\nsqueeze_channels = 4\nvalue_hidden = 8\n"
    "[inference]\ndevice = \"cpu\"\ncache_entries = 1024\nmax_batch = 16\n"
    "[selfplay]\nworkers = 1\nslots_per_worker = 16\nfull_visits = 12\ncheap_visits = 4\n"
    "[training]\ndevice = \"cpu\"\nbatch = 32\nwindow_min_rows = 64\nwarmup_samples = 64\n"
    "threads = 1\n"
    "[gate]\nmode = \"always\"\nvisits = 4\nmax_pairs = 2\n"
    "[run]\ngames_per_iteration = 16\ngenerations = 1\nfinal_pairs = 2\n";

fs::path tiny_config(const fs::path& folder) {
  const fs::path file = folder / "tiny.toml";
  std::ofstream(file) << kTinyConfig;
  return file;
}

TEST(TrainProgram, TrainsToItsEndAndSaysHowItWent) {
  const fs::path folder = fresh_folder("train");
  const fs::path run = folder / "run";
  const std::string config = tiny_config(folder).string();
  const ProgramResult result =
      run_program({"train", config, "--run", run.string(), "--set", "run.seed=9"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("Run finished: run.generations reached"),
                    HasSubstr("generations promoted  1\n"), HasSubstr("wall time"),
                    HasSubstr("peak memory"), HasSubstr("against random"),
                    HasSubstr("against greedy"), HasSubstr("as goat"), HasSubstr("as tiger")));
  for (const char* name : {"run.toml", "run.sqlite", "log.txt", "models/gen-0000.bzn",
                           "models/gen-0001.bzn", "tensorboard", "state"})
    EXPECT_TRUE(fs::exists(run / name)) << name;
  EXPECT_FALSE(fs::is_empty(run / "tensorboard"));

  RunConfig expected = load_config(config);
  expected.run.seed = 9;
  EXPECT_THAT(differing_keys(load_config(run / "run.toml"), expected), testing::IsEmpty());

  // The model it leaves can play, and a second run does not overwrite the first.
  const ProgramResult match = run_program({"match", "net:" + (run / "models/gen-0001.bzn").string(),
                                           "random", "--pairs", "2", "--visits", "4"});
  EXPECT_EQ(match.exit_code, 0) << match.err;
  EXPECT_THAT(match.out, HasSubstr("gen-0001.bzn at 4 visits against random, 2 pairs"));
  const ProgramResult again = run_program({"train", config, "--run", run.string()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("already holds a run; add --resume"));
}

TEST(TrainProgram, InterruptSavesAndResumeGoesOn) {
  const fs::path folder = fresh_folder("interrupt");
  const fs::path run = folder / "run";
  const std::string config = tiny_config(folder).string();
  // Without a limit it would never end by itself.
  Program program({"train", config, "--run", run.string(), "--set", "run.generations=0"}, folder);
  while (program.running() && !fs::exists(run / "models/gen-0001.bzn"))
    std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(program.running()) << program.err();
  program.send(SIGINT);
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 128 + SIGINT) << stopped.err;
  EXPECT_THAT(stopped.out,
              HasSubstr("go on with: baghzero train --resume --run " + run.string() + "\n"));

  const ProgramResult fixed =
      run_program({"train", "--resume", "--run", run.string(), "--set", "network.channels=16"});
  EXPECT_EQ(fixed.exit_code, 1);
  EXPECT_THAT(fixed.err, HasSubstr("network.channels"));

  const ProgramResult resumed =
      run_program({"train", config, "--resume", "--run", run.string(), "--set",
                   "run.generations=1000", "--set", "run.minutes=0.0001"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("Run finished: run.minutes are over"));
  EXPECT_THAT(resumed.err, AllOf(HasSubstr("resuming "), HasSubstr("changed by --set: ")));
}

TEST(TrainProgram, SecondInterruptEndsAtOnceAndTheRunIsStillWhole) {
  const fs::path folder = fresh_folder("second_interrupt");
  const fs::path run = folder / "run";
  Program program(
      {"train", tiny_config(folder).string(), "--run", run.string(), "--set", "run.generations=0"},
      folder);
  while (program.running() && !fs::exists(run / "models/gen-0001.bzn"))
    std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(program.running()) << program.err();
  program.send(SIGTERM);
  program.send(SIGINT);
  program.wait();
  const ProgramResult resumed =
      run_program({"train", "--resume", "--run", run.string(), "--set", "run.minutes=0.0001"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

}  // namespace
}  // namespace baghzero
