// Gates of whole runs that are stopped in their midst.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run.h"
#include "training/run_folder.h"
#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::kGoOn;
using testing::one_generation_run;
using testing::RecordingObserver;
using testing::run_to_end;
using testing::StoppingObserver;
using testing::TemporaryFolder;

constexpr int kPairs = 150;

RunConfig gated_run() {
  RunConfig config = one_generation_run();
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  config.gate.max_pairs = kPairs;
  config.gate.visits = 16;  // a second or two, so that a stop comes in its midst
  return config;
}

// As soon as games of the gate have ended and before a pair of it was judged.
StoppingObserver stop_before_the_first_pair() {
  return StoppingObserver([](const PhaseProgress& progress) {
    return progress.phase == RunPhase::Gate && progress.done > 0 &&
           progress.detail.find("scores") == std::string::npos;
  });
}

using StoredGame = std::tuple<int, bool, std::string>;
std::set<StoredGame> gate_games(const std::filesystem::path& root, std::int64_t gate) {
  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  std::set<StoredGame> games;
  for (const GateGameEntry& game : store.gate_games(gate))
    games.emplace(game.pair, game.candidate_is_tiger, game.text);
  return games;
}

std::vector<GateEntry> gates(const std::filesystem::path& root) {
  return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).gates();
}

// The store refuses a second game of the same pair and role, so no stored game is played again.
TEST(RunGate, KeepsItsGamesThoughTheFirstPairIsUnfinished) {
  const TemporaryFolder folder;
  const RunConfig config = gated_run();
  const auto root = folder / "run";
  StoppingObserver observer = stop_before_the_first_pair();
  ASSERT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
  const std::set<StoredGame> before = gate_games(root, 1);
  ASSERT_FALSE(before.empty());
  ASSERT_LT(before.size(), 2U * kPairs);
  EXPECT_FALSE(gates(root).at(0).promoted.has_value());

  RecordingObserver rest;
  std::vector<PhaseProgress> progress;
  rest.on_progress = [&](const PhaseProgress& now) {
    if (now.phase == RunPhase::Gate) progress.push_back(now);
  };
  EXPECT_EQ(train(config, root, true, "", rest, kGoOn).generation, 1);
  EXPECT_THAT(rest.messages, Contains(AllOf(HasSubstr("going on with the gate"),
                                            HasSubstr(std::to_string(before.size()) + " game"))));
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress.front().done, static_cast<double>(before.size()));
  EXPECT_EQ(progress.back().done, 2.0 * kPairs);
  const std::set<StoredGame> after = gate_games(root, 1);
  EXPECT_EQ(after.size(), 2U * kPairs);
  EXPECT_THAT(after, IsSupersetOf(before));
  ASSERT_EQ(gates(root).size(), 1U);
  EXPECT_EQ(gates(root)[0].promoted, true);
  EXPECT_EQ(gates(root)[0].pairs, kPairs);
}

// Its verdict is that of the same pairs, in their order, whatever had been played.
TEST(RunGate, GoesOnWhereGamesAreMissingAnywhere) {
  const TemporaryFolder folder;
  const RunConfig config = gated_run();
  const auto root = folder / "run";
  StoppingObserver observer = stop_before_the_first_pair();
  ASSERT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
  std::filesystem::copy(root, folder / "copy", std::filesystem::copy_options::recursive);
  run_to_end(config, root, true);
  const std::set<StoredGame> whole = gate_games(root, 1);
  {
    // As if every third game had ended, and none of the first pair.
    sqlite::Database database(folder / "copy" / "run.sqlite", sqlite::Access::ReadWrite);
    database.execute("DELETE FROM gate_games");
  }
  {
    const RunStore source(root / "run.sqlite", RunStore::Mode::ReadOnly);
    RunStore store(folder / "copy" / "run.sqlite", RunStore::Mode::Resume);
    int index = 0;
    for (const GateGameEntry& game : source.gate_games(1))
      if (game.pair > 0 && ++index % 3 == 0) store.add_gate_game(1, game);
  }
  run_to_end(config, folder / "copy", true);
  EXPECT_EQ(gate_games(folder / "copy", 1), whole);
  EXPECT_EQ(gates(folder / "copy").at(0).verdict, gates(root).at(0).verdict);
}

// Batches that formed otherwise could answer otherwise.
TEST(RunGate, AReproducibleRunPlaysItInOneGo) {
  const TemporaryFolder folder;
  RunConfig config = gated_run();
  config.run.reproducible = true;
  const auto root = folder / "run";
  StoppingObserver observer = stop_before_the_first_pair();
  ASSERT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
  EXPECT_TRUE(gate_games(root, 1).empty());
  run_to_end(config, root, true);
  run_to_end(config, folder / "whole");
  EXPECT_EQ(gate_games(root, 1).size(), 2U * kPairs);
  EXPECT_EQ(gate_games(root, 1), gate_games(folder / "whole", 1));
}

// Neither a file of another name, which the end of the gate would remove, nor another network.
TEST(RunGate, AnotherCandidateEndsIt) {
  for (const std::string name : {"models/gen-0000.bzn", "models/candidate.bzn", "a game"}) {
    const TemporaryFolder folder;
    const RunConfig config = gated_run();
    const auto root = folder / "run";
    StoppingObserver observer = stop_before_the_first_pair();
    ASSERT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
    sqlite::Database database(root / "run.sqlite", sqlite::Access::ReadWrite);
    if (name == "a game")
      database.execute("UPDATE gate_games SET game = 'G11'");
    else if (name == RunFolder::candidate_name())
      std::filesystem::copy_file(root / "models/gen-0000.bzn", root / name,
                                 std::filesystem::copy_options::overwrite_existing);
    else
      database.execute("UPDATE gates SET candidate_file = '" + name + "'");
    EXPECT_EQ(run_to_end(config, root, true).generation, 1) << name;
    EXPECT_TRUE(gates(root)[0].verdict.starts_with("abandoned: ")) << name;
    EXPECT_TRUE(std::filesystem::exists(root / "models/gen-0000.bzn")) << name;
  }
}

// Killed after the gate of a lost candidate was abandoned and before another one was begun.
TEST(RunGate, AnAbandonedGateIsNoVerdict) {
  const TemporaryFolder folder;
  const RunConfig config = gated_run();
  const auto root = folder / "run";
  StoppingObserver observer = stop_before_the_first_pair();
  ASSERT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
  std::filesystem::copy(root, folder / "copy", std::filesystem::copy_options::recursive);
  std::ofstream(root / RunFolder::candidate_name(), std::ios::trunc) << "torn";
  EXPECT_EQ(run_to_end(config, root, true).generation, 1);
  {
    RunStore store(folder / "copy" / "run.sqlite", RunStore::Mode::Resume);
    store.finish_gate(gates(root).at(0));
  }
  run_to_end(config, folder / "copy", true);
  ASSERT_EQ(gates(folder / "copy").size(), 2U);
  for (const auto& run : {root, folder / "copy"}) {
    EXPECT_EQ(gates(run)[0].promoted, false);
    EXPECT_EQ(gates(run)[1].samples, gates(run)[0].samples) << "the same weights get their gate";
    EXPECT_EQ(gates(run)[1].promoted, true);
  }
}

}  // namespace
}  // namespace baghzero
