// Whole runs of the real program, as small as runs can be.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config.h"
#include "cli/config_table.h"
#include "tests/cli/program.h"
#include "training/checkpoint.h"

namespace baghzero::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_THAT(match.out, HasSubstr("gen-0001 at 4 visits against random, 2 pairs"));
  const ProgramResult again = run_program({"train", config, "--run", run.string()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("already holds a run; add --resume"));

  // A resume has nothing left to do: it repeats the summary and says how to train on.
  const ProgramResult finished = run_program({"train", "--resume", "--run", run.string()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("Run was finished: run.generations reached"),
                                  HasSubstr("against greedy"), HasSubstr("(2 pairs)"),
                                  HasSubstr("baghzero train --resume --run " + run.string() +
                                            " --set run.generations=2\n")));
  EXPECT_THAT(finished.err, Not(HasSubstr("closing matches")));
  const ProgramResult unchanged =
      run_program({"train", "--resume", "--run", run.string(), "--set", "evaluation.pairs=3"});
  EXPECT_THAT(unchanged.out,
              HasSubstr("nothing was changed (evaluation.pairs as before); to train on, raise"));
  EXPECT_THAT(unchanged.err, Not(HasSubstr("changed by --set")));
  EXPECT_EQ(load_config(run / "run.toml").evaluation.pairs, 1);
  // What it would need to train on is not even looked for.
  const std::vector<std::string> without_opponent = {
      "train", "--resume", "--run", run.string(), "--set", "evaluation.opponents=net:no/such.bzn"};
  const ProgramResult unmoved = run_program(without_opponent);
  EXPECT_EQ(unmoved.exit_code, 0) << unmoved.err;
  std::vector<std::string> longer = without_opponent;
  longer.insert(longer.end(), {"--set", "run.generations=2"});
  EXPECT_THAT(run_program(longer).err,
              AllOf(HasSubstr("evaluation.opponents: "), HasSubstr("no/such.bzn")));
  EXPECT_THAT(read_text(run / "log.txt"),
              AllOf(HasSubstr("info: Run finished: run.generations reached\n"),
                    HasSubstr("generations promoted  1\n")));
}

TEST(TrainProgram, ARefusedSecondProcessLeavesTheLogAlone) {
  const fs::path folder = fresh_folder("refused");
  const fs::path run = folder / "run";
  Program program(
      {"train", tiny_config(folder).string(), "--run", run.string(), "--set", "run.generations=0"},
      folder);
  while (program.running() && !fs::exists(run / "models/gen-0001.bzn"))
    std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(program.running()) << program.err();
  const ProgramResult second = run_program({"train", "--resume", "--run", run.string()});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("is training in"));
  program.send(SIGHUP);
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  const std::string log = read_text(run / "log.txt");
  EXPECT_THAT(log, AllOf(HasSubstr("info: starting "), HasSubstr("info: Run stopped by SIGHUP\n"),
                         Not(HasSubstr("resuming")), Not(HasSubstr("error"))));
}

// A reader of its messages that goes away, as `head` does, costs a run nothing.
TEST(TrainProgram, GoesOnWhenNobodyReadsItsMessages) {
  const fs::path folder = fresh_folder("no_reader");
  const fs::path run = folder / "run";
  const std::string command = std::string(BAGHZERO_BINARY) + " train " +
                              tiny_config(folder).string() + " --run " + run.string() +
                              " 2>&1 | true";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(fs::exists(run / "models/gen-0001.bzn"));
  EXPECT_THAT(read_text(run / "log.txt"), HasSubstr("Run finished"));
}

TEST(TrainProgram, SaysWhatCanBeTyped) {
  const fs::path folder = fresh_folder("typed");
  setenv("BAGHZERO_COMMAND", "./run.sh", 1);
  const ProgramResult help = run_program({"train", "--help"});
  const ProgramResult wrong = run_program({"train", "--nonsense"});
  unsetenv("BAGHZERO_COMMAND");
  EXPECT_THAT(help.out, AllOf(HasSubstr("\n  ./run.sh train configs/quick.toml\n"),
                              HasSubstr("Usage: ./run.sh train "), Not(HasSubstr("baghzero"))));
  EXPECT_THAT(wrong.err, HasSubstr("(see `./run.sh train --help`)"));
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
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
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
  // Of two that are pending at once, the system may deliver either first.
  EXPECT_THAT(program.wait().exit_code, testing::AnyOf(128 + SIGTERM, 128 + SIGINT));

  const auto samples = [&run] {
    const LoadedState loaded = load_newest_state(run / "state");
    EXPECT_THAT(loaded.damaged, testing::IsEmpty());
    return loaded.state ? loaded.state->trainer.samples : 0;
  };
  const std::int64_t before = samples();
  EXPECT_GT(before, 0);
  const ProgramResult resumed = run_program({"train", "--resume", "--run", run.string(), "--set",
                                             "run.sample_budget=" + std::to_string(before + 1)});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("Run finished: run.sample_budget is spent"));
  EXPECT_GT(samples(), before);
}

}  // namespace
}  // namespace baghzero::test
