// Runs that are stopped, damaged or limited, and go on.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

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
using testing::final_state;
using testing::first_difference;
using ::testing::HasSubstr;
using testing::kGoOn;
using testing::ladder_games;
using testing::message_of;
using testing::one_generation_run;
using testing::RecordingObserver;
using testing::run_to_end;
using testing::StoppingObserver;
using testing::TemporaryFolder;
using testing::tiny_evaluated_run;
using testing::tiny_run;

TEST(Run, EqualSeedsGiveEqualGamesAndWeights) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.reproducible = true;
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  config.evaluation = tiny_evaluated_run().evaluation;
  run_to_end(config, folder / "a");
  run_to_end(config, folder / "b");
  EXPECT_EQ(first_difference(folder / "a", folder / "b"), 0U);
  EXPECT_TRUE(final_state(folder / "a") == final_state(folder / "b"));
  config.run.seed = 2;
  run_to_end(config, folder / "c");
  EXPECT_NE(first_difference(folder / "a", folder / "c"), 0U);
}

// Stops a run at every phase in turn and resumes it; the end is that of a run never stopped.
TEST(Run, AStoppedAndResumedRunEndsAsOneNeverStopped) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.run.reproducible = true;
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  // Long enough phases for the stop to come in their midst.
  config.run.games_per_iteration = 40;
  config.training.reuse = 4;
  run_to_end(config, folder / "whole");

  int stops = 0;
  bool resume = false;
  RunResult result;
  do {
    std::atomic<bool> stop = false;
    RecordingObserver observer;
    int calls = 0;
    observer.on_progress = [&](const PhaseProgress&) {
      if (++calls == 3 + 2 * stops) stop = true;
    };
    result = train(config, folder / "parts", resume, "", observer, stop);
    resume = true;
    ++stops;
    ASSERT_LT(stops, 50);
  } while (result.end == RunEnd::Stopped);
  EXPECT_GT(stops, 2);
  EXPECT_EQ(result.generation, 2);
  EXPECT_EQ(first_difference(folder / "whole", folder / "parts"), 0U);
  EXPECT_TRUE(final_state(folder / "whole") == final_state(folder / "parts"));
  const auto evaluated = [&](const char* name) {
    return RunStore(folder / name / "run.sqlite", RunStore::Mode::ReadOnly)
        .metrics("evaluation/previous/score");
  };
  ASSERT_EQ(evaluated("whole").size(), 2U);
  ASSERT_EQ(evaluated("parts").size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(evaluated("parts")[i].step, evaluated("whole")[i].step);
    EXPECT_EQ(evaluated("parts")[i].value, evaluated("whole")[i].value);
  }
  EXPECT_EQ(ladder_games(folder / "parts", config), ladder_games(folder / "whole", config));
}

// What an observer has written down of lost work is void; of gates and generations it is told
// again.
TEST(Run, TellsOnResumeWhatHasBeenLostAndWhatHasNot) {
  class Recorder final : public RecordingObserver {
   public:
    void resumed(std::int64_t samples) override {
      EXPECT_TRUE(series.empty());
      resumed_at.push_back(samples);
    }
    std::vector<std::int64_t> resumed_at;
  };
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  Recorder first;
  train(config, folder / "run", false, "", first, kGoOn);
  EXPECT_TRUE(first.resumed_at.empty());
  const std::int64_t samples = final_state(folder / "run").samples;
  {
    RunStore store(folder / "run" / "run.sqlite", RunStore::Mode::Resume);
    store.add_metrics(samples + 1'000'000, {{"loss/value", 0.5}, {"rating/elo", 12}});
  }
  config.run.generations = 2;
  Recorder rest;
  train(config, folder / "run", true, "", rest, kGoOn);
  EXPECT_EQ(rest.resumed_at, std::vector{samples});
  ASSERT_EQ(rest.series["rating/elo"].size(), 1U);
  EXPECT_EQ(rest.series["rating/elo"][0], std::pair(samples + 1'000'000, 12.0));
  for (const auto& [step, value] : rest.series["loss/value"]) EXPECT_LT(step, samples + 1'000'000);
  // A finished run stays as it is.
  Recorder finished;
  train(config, folder / "run", true, "", finished, kGoOn);
  EXPECT_TRUE(finished.resumed_at.empty());
}

TEST(Run, GoesOnWithoutReproducibilityTooAndKeepsWhatWasDone) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.selfplay.workers = 2;
  StoppingObserver observer(RunPhase::Training);
  const RunResult first = train(config, folder / "run", false, "", observer, observer.stop);
  EXPECT_EQ(first.end, RunEnd::Stopped);
  const RunResult second = run_to_end(config, folder / "run", true);
  EXPECT_EQ(second.end, RunEnd::Generations);
  EXPECT_GT(second.games, first.games);
  EXPECT_GE(second.samples, first.samples);
  EXPECT_GE(second.seconds, first.seconds);
}

// What a crash leaves: games and generations in the database that no state knows of yet.
TEST(Run, ResumesFromAnOlderState) {
  const TemporaryFolder folder;
  const RunConfig config = tiny_run();
  const auto root = folder / "run";
  const RunResult first = run_to_end(config, root);
  std::vector<std::filesystem::path> states;
  for (const auto& entry : std::filesystem::directory_iterator(root / "state"))
    states.push_back(entry.path());
  std::ranges::sort(states);
  ASSERT_EQ(states.size(), 2U);
  std::ofstream(states.back(), std::ios::trunc) << "torn";

  RunConfig longer = config;
  longer.run.generations = 3;
  RecordingObserver observer;
  const RunResult result = train(longer, root, true, "", observer, kGoOn);
  const std::string aside = states.back().filename().string() + ".damaged";
  EXPECT_THAT(observer.warnings,
              Contains(AllOf(HasSubstr("is damaged"), HasSubstr("now called " + aside))));
  EXPECT_TRUE(std::filesystem::exists(root / "state" / aside));
  EXPECT_EQ(state_files(root / "state").size(), 2U);
  EXPECT_EQ(result.generation, 3);
  EXPECT_GT(result.games, first.games);
  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(result.rows, store.row_count());
}

TEST(Run, AFinishedRunOnlyNamesADamagedState) {
  const TemporaryFolder folder;
  const RunConfig config = one_generation_run();
  const auto root = folder / "run";
  run_to_end(config, root);
  const auto states = state_files(root / "state");
  std::ofstream(states.front(), std::ios::trunc) << "torn";
  RecordingObserver observer;
  EXPECT_TRUE(train(config, root, true, "", observer, kGoOn).was_finished);
  EXPECT_THAT(observer.warnings, Contains(HasSubstr("is damaged")));
  EXPECT_EQ(state_files(root / "state"), states);
}

TEST(Run, ResumesThatFailKeepTheStates) {
  const TemporaryFolder folder;
  RunConfig config = one_generation_run();
  const auto root = folder / "run";
  run_to_end(config, root);
  config.run.generations = 2;
  const auto states = state_files(root / "state");
  ASSERT_EQ(states.size(), 2U);
  for (int i = 0; i < 3; ++i) {
    RecordingObserver observer;
    observer.on_progress = [](const PhaseProgress&) { throw std::runtime_error("a fault"); };
    EXPECT_EQ(message_of([&] { train(config, root, true, "", observer, kGoOn); }), "a fault");
    EXPECT_EQ(state_files(root / "state"), states);
  }
  EXPECT_EQ(run_to_end(config, root, true).generation, 2);
}

TEST(Run, LostPromotionsAreNamedAndNothingIsOverwritten) {
  for (const char* lost : {"number = 1", "number >= 0"}) {
    const TemporaryFolder folder;
    RunConfig config = one_generation_run();
    const auto root = folder / "run";
    run_to_end(config, root);
    const auto model = root / "models/gen-0001.bzn";
    const auto written = std::filesystem::last_write_time(model);
    sqlite::Database(root / "run.sqlite", sqlite::Access::ReadWrite)
        .execute(std::string("DELETE FROM generations WHERE ") + lost);
    config.run.generations = 2;
    EXPECT_THAT(message_of([&] { run_to_end(config, root, true); }),
                HasSubstr("the state was saved with"));
    EXPECT_EQ(std::filesystem::last_write_time(model), written);
  }
}

TEST(Run, GamesLostBeforeAResumeAreNotPlayedAgainBesideTheIterations) {
  const TemporaryFolder folder;
  RunConfig config = one_generation_run();
  config.run.reproducible = true;  // exactly games_per_iteration games each
  const auto root = folder / "run";
  const RunResult first = run_to_end(config, root);
  const std::int64_t left = first.games - 5;
  sqlite::Database(root / "run.sqlite", sqlite::Access::ReadWrite)
      .execute("DELETE FROM games WHERE id > " + std::to_string(left));
  config.run.generations = 2;
  StoppingObserver observer(RunPhase::Gate);
  const auto lost = Contains(HasSubstr("but the state was saved after")).Times(1);
  train(config, root, true, "", observer, observer.stop);
  EXPECT_THAT(observer.warnings, lost);
  const std::int64_t games = RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).game_count();
  EXPECT_GT(games, left);
  EXPECT_EQ((games - left) % config.run.games_per_iteration, 0) << games;
  RecordingObserver again;  // the state that was saved knows of the loss
  EXPECT_EQ(train(config, root, true, "", again, kGoOn).generation, 2);
  EXPECT_THAT(again.warnings, ::testing::Not(lost));
}

TEST(Run, RefusesToTrainAnewBesideGamesWhoseStatesAreGone) {
  const TemporaryFolder folder;
  RunConfig config = one_generation_run();
  const auto root = folder / "run";
  run_to_end(config, root);
  const auto losses = [&] {
    return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).metrics("loss/policy").size();
  };
  const std::size_t before = losses();
  std::filesystem::remove_all(root / "state");
  config.run.generations = 2;
  EXPECT_THAT(message_of([&] { run_to_end(config, root, true); }),
              HasSubstr("restore a copy, or begin a new run"));
  EXPECT_GT(before, 0U);
  EXPECT_EQ(losses(), before);
}

TEST(Run, IsStoppedIfItsClosingMatchesAreAndPlaysThemOnResume) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 60;
  StoppingObserver observer(RunPhase::ClosingMatches);
  const auto root = folder / "run";
  EXPECT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
  config.run.closing_pairs = 3;
  const RunResult result = run_to_end(config, root, true);
  EXPECT_EQ(result.end, RunEnd::Generations);
  EXPECT_TRUE(result.against_greedy.played);
}

TEST(Run, AFinishedRunIsLeftAsItIs) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  const auto root = folder / "run";
  const RunResult first = run_to_end(config, root);
  EXPECT_FALSE(first.was_finished);
  const auto traces = [&] {
    const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
    std::string text = std::to_string(store.events().size()) + " events, start " +
                       store.meta("starts").value_or("") + ", " +
                       store.meta("configuration").value_or("");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
      // The lock names whoever looked last; the database is compared above.
      if (const std::string name = entry.path().filename().string();
          name != "lock" && name.find(".sqlite") == std::string::npos)
        text += entry.path().string() + " " +
                std::to_string(entry.last_write_time().time_since_epoch().count()) + "\n";
    return text;
  };
  const std::string before = traces();
  RecordingObserver observer;
  const RunResult again = train(config, root, true, "# another\n", observer, kGoOn);
  EXPECT_EQ(traces(), before);
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(again.end, RunEnd::Generations);
  EXPECT_EQ(again.games, first.games);
  EXPECT_EQ(again.samples, first.samples);
  EXPECT_EQ(again.against_random.pairs, 3);
  EXPECT_EQ(again.against_random.total, first.against_random.total);
  EXPECT_EQ(again.against_greedy.as_tiger, first.against_greedy.as_tiger);
  EXPECT_EQ(again.peak_memory_bytes, first.peak_memory_bytes);
  const auto matches = [&] {
    return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).matches().size();
  };
  EXPECT_EQ(matches(), 2U);

  config.run.closing_pairs = 4;  // more than were played
  EXPECT_FALSE(run_to_end(config, root, true).was_finished);
  EXPECT_EQ(matches(), 4U);
  config.run.generations = 2;
  const RunResult longer = run_to_end(config, root, true);
  EXPECT_FALSE(longer.was_finished);
  EXPECT_EQ(longer.generation, 2);
}

TEST(Run, SaysThatItsDatabaseIsDamaged) {
  const TemporaryFolder folder;
  RunConfig config = one_generation_run();
  const auto root = folder / "run";
  run_to_end(config, root);
  RunStore(root / "run.sqlite", RunStore::Mode::Resume).set_meta("finished", "3x");
  EXPECT_THAT(
      message_of([&] { run_to_end(config, root, true); }),
      ::testing::AllOf(HasSubstr("\"3x\""), HasSubstr("\"finished\""), HasSubstr("damaged")));
}

TEST(Run, AGateWhoseCandidateIsLostIsAbandonedForAnother) {
  for (const bool gone : {true, false}) {
    const TemporaryFolder folder;
    RunConfig config = one_generation_run();
    config.gate.mode = GateMode::Fixed;
    config.gate.threshold = 0;
    config.gate.max_pairs = 500;  // more than are over before it is told to stop
    const auto root = folder / "run";
    StoppingObserver observer([](const PhaseProgress& progress) {
      return progress.phase == RunPhase::Gate && progress.done > 0;
    });
    EXPECT_EQ(train(config, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
    const auto candidate = root / RunFolder::candidate_name();
    ASSERT_TRUE(std::filesystem::exists(candidate));
    if (gone)
      std::filesystem::remove(candidate);
    else
      std::ofstream(candidate, std::ios::trunc) << "torn";
    config.gate.max_pairs = 40;
    RecordingObserver rest;
    EXPECT_EQ(train(config, root, true, "", rest, kGoOn).generation, 1);
    EXPECT_THAT(rest.warnings, Contains(HasSubstr("is abandoned")));
    const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
    ASSERT_EQ(store.gates().size(), 2U);
    EXPECT_EQ(store.gates()[0].promoted, false);
    EXPECT_THAT(store.gates()[0].verdict, HasSubstr("abandoned"));
    EXPECT_EQ(store.gates()[1].promoted, true);
    EXPECT_EQ(store.gate_games(2).size(), 80U);
  }
}

TEST(Run, CountsGamesOfBeforeAResumeInTheIterationsReport) {
  const TemporaryFolder folder;
  const RunConfig config = one_generation_run();
  StoppingObserver observer(RunPhase::Training);
  EXPECT_EQ(train(config, folder / "run", false, "", observer, observer.stop).end, RunEnd::Stopped);
  EXPECT_TRUE(observer.series["outcome/draw"].empty());
  RecordingObserver rest;
  train(config, folder / "run", true, "", rest, kGoOn);
  ASSERT_FALSE(rest.series["outcome/draw"].empty());
  EXPECT_DOUBLE_EQ(rest.series["outcome/draw"][0].second +
                       rest.series["outcome/goats_win"][0].second +
                       rest.series["outcome/tigers_win"][0].second,
                   1);
  EXPECT_GT(rest.series["selfplay/plies"][0].second, 0);
  EXPECT_TRUE(rest.series["selfplay/evals_per_second"].empty());  // unknown, not zero
  EXPECT_THAT(rest.messages, Contains(::testing::ContainsRegex("iteration 1: .* plies")));
}

TEST(Run, StartsWhereOnlyAnEmptyDatabaseLies) {
  const TemporaryFolder folder;
  const RunConfig config = one_generation_run();
  const auto root = folder / "run";
  std::filesystem::create_directories(root);
  std::ofstream(root / "run.sqlite").close();
  EXPECT_THAT(message_of([&] { run_to_end(config, root, true); }), HasSubstr("holds no run"));
  EXPECT_EQ(run_to_end(config, root).generation, 1);
}

TEST(Run, DoesNotOverwriteModelsThatHaveLostTheirDatabase) {
  const TemporaryFolder folder;
  const RunConfig config = one_generation_run();
  const auto root = folder / "run";
  run_to_end(config, root);
  for (const char* name : {"run.sqlite", "run.sqlite-wal", "run.sqlite-shm"})
    std::filesystem::remove(root / name);
  EXPECT_THAT(message_of([&] { run_to_end(config, root); }),
              HasSubstr("holds files in models/ but no run.sqlite"));
  std::filesystem::remove_all(root / "models");
  EXPECT_THAT(message_of([&] { run_to_end(config, root); }),
              HasSubstr("holds files in state/ but no run.sqlite"));
}

TEST(Run, AChangeThatItsStateRefusesIsNotKept) {
  const TemporaryFolder folder;
  const RunConfig config = one_generation_run();
  const auto root = folder / "run";
  run_to_end(config, root);
  RunConfig other = config;
  other.training.optimizer = OptimizerKind::Sgd;
  RecordingObserver observer;
  EXPECT_THAT(message_of([&] { train(other, root, true, "# other\n", observer, kGoOn); }),
              HasSubstr("moments"));
  std::ifstream own(root / "run.toml");
  std::string line;
  std::getline(own, line);
  EXPECT_EQ(line, "# resolved");
}

}  // namespace
}  // namespace baghzero
