#include "training/run.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "nn/frozen_network.h"
#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run_context.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kGoOn;
using testing::message_of;
using testing::one_generation_run;
using testing::RecordingObserver;
using testing::run_to_end;
using testing::TemporaryFolder;
using testing::tiny_run;

TEST(Run, GoesFromNothingToPromotedGenerations) {
  const TemporaryFolder folder;
  RecordingObserver observer;
  const auto root = folder / "run";
  const RunResult result = train(tiny_run(), root, false, "# resolved\n", observer, kGoOn);
  EXPECT_EQ(result.end, RunEnd::Generations);
  EXPECT_EQ(result.generation, 2);
  EXPECT_GE(result.games, 24);
  EXPECT_GT(result.rows, 60);
  EXPECT_GT(result.samples, 0);
  EXPECT_LE(result.samples, result.rows);
  EXPECT_TRUE(result.against_random.played);
  EXPECT_TRUE(result.against_greedy.played);
  EXPECT_EQ(result.against_random.pairs, 3);
  EXPECT_GT(result.peak_memory_bytes, 0);

  for (const char* file : {"run.toml", "run.sqlite", "models/gen-0000.bzn", "models/gen-0001.bzn",
                           "models/gen-0002.bzn"})
    EXPECT_TRUE(std::filesystem::exists(root / file)) << file;
  EXPECT_EQ(load_network(root / "models/gen-0002.bzn")->generation(), 2);

  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(store.game_count(), result.games);
  EXPECT_EQ(store.row_count(), result.rows);
  ASSERT_EQ(store.generations().size(), 3U);
  EXPECT_EQ(store.generations()[2].samples, result.samples);
  EXPECT_EQ(store.gates().size(), 2U);
  EXPECT_EQ(store.matches().size(), 2U);
  for (const char* name : {"loss/policy",
                           "loss/value",
                           "loss/captures",
                           "loss/occupancy",
                           "loss/plies_left",
                           "loss/reply_policy",
                           "training/learning_rate",
                           "training/gradient_norm",
                           "training/reuse",
                           "window/rows",
                           "selfplay/evals_per_second",
                           "selfplay/batch_fill",
                           "selfplay/cache_hit_share",
                           "outcome/tigers_win",
                           "outcome/goats_win",
                           "termination/captures",
                           "selfplay/plies",
                           "gate/pairs",
                           "memory/resident_mib",
                           "memory/peak_mib",
                           "check/value_as_played"}) {
    EXPECT_FALSE(observer.series[name].empty()) << name;
    EXPECT_FALSE(store.metrics(name).empty()) << name;
  }
  EXPECT_THAT(observer.warnings, ::testing::Not(Contains(HasSubstr("otherwise than it trains"))));
}

TEST(Run, GatesDecideByGamesThatAreKeptButNotTrainedOn) {
  const TemporaryFolder folder;
  RunConfig config = one_generation_run();
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  RecordingObserver observer;
  std::vector<PhaseProgress> gate;
  observer.on_progress = [&](const PhaseProgress& progress) {
    if (progress.phase == RunPhase::Gate) gate.push_back(progress);
  };
  const RunResult result = train(config, folder / "run", false, "", observer, kGoOn);
  // Games move it, not only pairs.
  ASSERT_GE(gate.size(), 5U);
  EXPECT_EQ(gate.front().done, 0);
  EXPECT_TRUE(std::ranges::is_sorted(gate, {}, &PhaseProgress::done));
  EXPECT_EQ(gate.back().done, 8);
  EXPECT_EQ(gate.back().total, 8);
  EXPECT_THAT(gate.back().detail, HasSubstr("in 4 pairs"));
  EXPECT_FALSE(result.against_random.played);
  const RunStore store(folder / "run" / "run.sqlite", RunStore::Mode::ReadOnly);
  ASSERT_EQ(store.gates().size(), 1U);
  EXPECT_EQ(store.gates()[0].promoted, true);
  EXPECT_EQ(store.gates()[0].pairs, 4);
  EXPECT_THAT(store.gates()[0].verdict, HasSubstr("generation 0"));
  EXPECT_EQ(store.gate_games(1).size(), 8U);
  EXPECT_EQ(store.game_count(), result.games);
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "models" / "candidate.bzn"));
}

TEST(Run, ARejectedCandidateIsNoGeneration) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 1;
  config.run.generations = 0;
  config.run.sample_budget = 200;
  config.run.closing_pairs = 0;
  const RunResult result = run_to_end(config, folder / "run");
  EXPECT_EQ(result.end, RunEnd::SampleBudget);
  EXPECT_EQ(result.samples, 208);  // whole batches of 16
  const RunStore store(folder / "run" / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(result.generation, static_cast<int>(store.generations().size()) - 1);
  ASSERT_FALSE(store.gates().empty());
  EXPECT_EQ(store.gates().back().samples, 208);  // what was trained last had its gate
}

TEST(Run, SaysWhichRowsItAwaits) {
  const TemporaryFolder folder;
  RunConfig config = one_generation_run();
  config.training.window_min_rows = 400;
  RecordingObserver observer;
  train(config, folder / "run", false, "", observer, kGoOn);
  EXPECT_THAT(observer.messages, Contains(HasSubstr("of 400 before training begins")));
}

TEST(Run, SaysWhatItsDeviceDoes) {
  const TemporaryFolder folder;
  RunConfig config = one_generation_run();
  RecordingObserver observer;
  train(config, folder / "run", false, "", observer, kGoOn);
  EXPECT_THAT(observer.messages.front(),
              ::testing::MatchesRegex("self-play on cpu, 1 worker with 8 games each, one alone "
                                      "[1-9][0-9,]* evals/s in batches of 16; training in turns "
                                      "with self-play"));
}

TEST(Run, KeepsWarningsOfOtherThreadsForTheLoopAndSaysEachOnce) {
  WarningBox box;
  std::thread([&box] {
    box.post("inexact");
    box.post("");
    box.post("inexact");
  }).join();
  EXPECT_EQ(box.take(), std::vector<std::string>{"inexact"});
  box.post("inexact");
  EXPECT_TRUE(box.take().empty());
}

TEST(Run, RefusesRulesWithTooFewOpeningsBeforeItTrains) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.rules.max_plies = 1;
  EXPECT_THAT(message_of([&] { run_to_end(config, folder / "run"); }),
              HasSubstr("run.closing_pairs is too large: these rules have no 3 distinct"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "run.sqlite"));
}

TEST(Run, RefusesWithASentence) {
  const TemporaryFolder folder;
  const auto root = folder / "run";
  RunConfig config = one_generation_run();
  EXPECT_THAT(message_of([&] { run_to_end(config, root, true); }), HasSubstr("holds no run"));
  RunConfig overlapping = config;
  overlapping.run.reproducible = true;
  overlapping.training.schedule = Schedule::Overlap;
  EXPECT_THAT(message_of([&] { run_to_end(overlapping, root); }), HasSubstr("run.reproducible"));
  EXPECT_FALSE(std::filesystem::exists(root / "run.sqlite"));

  run_to_end(config, root);
  EXPECT_THAT(message_of([&] { run_to_end(config, root); }), HasSubstr("holds a run already"));
  RunConfig other = config;
  other.network.channels = 16;
  EXPECT_THAT(message_of([&] { run_to_end(other, root, true); }),
              HasSubstr("network.channels = 8"));
}

TEST(Run, TwoTrainersInOneFolderAreRefused) {
  const TemporaryFolder folder;
  RecordingObserver observer;
  std::string refusal;
  std::string refusal_without_lock;
  std::string holder_without_lock;
  observer.on_progress = [&](const PhaseProgress&) {
    if (!refusal.empty()) return;
    const auto refused = [&] {
      return message_of([&] { run_to_end(tiny_run(), folder / "run", true); });
    };
    refusal = refused();
    // Somebody has taken it for a stale one.
    std::filesystem::remove(folder / "run" / "lock");
    holder_without_lock = RunLock::holder(RunFolder{folder / "run"});
    refusal_without_lock = refused();
  };
  RunConfig config = tiny_run();
  config.run.generations = 1;
  train(config, folder / "run", false, "", observer, kGoOn);
  EXPECT_THAT(refusal, HasSubstr("process " + std::to_string(::getpid()) + " is training in"));
  EXPECT_THAT(refusal_without_lock, HasSubstr("another process is training in"));
  EXPECT_EQ(holder_without_lock, "another process");
}

}  // namespace
}  // namespace baghzero
