#include "training/run.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/frozen_network.h"
#include "selfplay/game_file.h"
#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/checkpoint.h"
#include "training/run_context.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kGoOn;
using testing::message_of;
using ::testing::Not;
using testing::RecordingObserver;
using testing::TemporaryFolder;
using testing::tiny_run;

// With an evaluation of two pairs against each opponent after every promotion.
RunConfig tiny_evaluated_run() {
  RunConfig config = tiny_run();
  config.evaluation.every = 1;
  config.evaluation.pairs = 2;
  config.evaluation.visits = 2;
  config.evaluation.seconds = 1'000;
  config.run.closing_pairs = 0;
  return config;
}
std::vector<Player> one_opponent(std::function<std::unique_ptr<Agent>()> make_agent) {
  Player player;
  player.name = "fixed";
  player.make_agent = std::move(make_agent);
  return {player};
}
// All games of the ladder of the run.
std::int64_t ladder_games(const std::filesystem::path& folder, const RunConfig& config) {
  std::vector<std::string> names = {"fixed"};
  for (int i = 0; i < 4; ++i)
    names.push_back(network_player_name(folder / RunFolder::model_name(i), 2));
  const RunStore store(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  std::int64_t games = 0;
  for (const RatedGames& counts : store.ladder_games(format_rules(config.rules), names).all())
    games += counts.games();
  return games;
}

RunResult run_to_end(const RunConfig& config, const std::filesystem::path& folder,
                     bool resume = false) {
  RecordingObserver observer;
  return train(config, folder, resume, "# resolved\n", observer, kGoOn);
}

std::vector<std::vector<std::byte>> games_of(const std::filesystem::path& folder) {
  const RunStore store(folder / "run.sqlite", RunStore::Mode::ReadOnly);
  std::vector<std::vector<std::byte>> games;
  store.for_each_game(
      1, 0, [&](std::int64_t, const GameRecord& record) { games.push_back(encode_game(record)); });
  return games;
}

// Number of the first game that differs between two runs; 0 if none does.
std::size_t first_difference(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto games_a = games_of(a);
  const auto games_b = games_of(b);
  if (games_a == games_b) return 0;
  std::size_t same = 0;
  while (same < std::min(games_a.size(), games_b.size()) && games_a[same] == games_b[same]) ++same;
  return same + 1;
}

TrainerState final_state(const std::filesystem::path& folder) {
  return load_newest_state(folder / "state").state->trainer;
}

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
  RunConfig config = tiny_run();
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  config.run.generations = 1;
  config.run.closing_pairs = 0;
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
  RunConfig config = tiny_run();
  config.training.window_min_rows = 400;
  config.run.generations = 1;
  config.run.closing_pairs = 0;
  RecordingObserver observer;
  train(config, folder / "run", false, "", observer, kGoOn);
  EXPECT_THAT(observer.messages, Contains(HasSubstr("of 400 before training begins")));
}

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

TEST(Run, GoesOnWithoutReproducibilityTooAndKeepsWhatWasDone) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.selfplay.workers = 2;
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  observer.on_progress = [&](const PhaseProgress& progress) {
    if (progress.phase == RunPhase::Training) stop = true;
  };
  const RunResult first = train(config, folder / "run", false, "", observer, stop);
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
  EXPECT_THAT(observer.warnings, Contains(HasSubstr("is damaged")));
  EXPECT_EQ(result.generation, 3);
  EXPECT_GT(result.games, first.games);
  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(result.rows, store.row_count());
}

TEST(Run, RefusesToTrainAnewBesideGamesWhoseStatesAreGone) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
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
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  observer.on_progress = [&](const PhaseProgress& progress) {
    stop = stop || progress.phase == RunPhase::ClosingMatches;
  };
  const auto root = folder / "run";
  EXPECT_EQ(train(config, root, false, "", observer, stop).end, RunEnd::Stopped);
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
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
  const auto root = folder / "run";
  run_to_end(config, root);
  RunStore(root / "run.sqlite", RunStore::Mode::Resume).set_meta("finished", "3x");
  EXPECT_THAT(
      message_of([&] { run_to_end(config, root, true); }),
      ::testing::AllOf(HasSubstr("\"3x\""), HasSubstr("\"finished\""), HasSubstr("damaged")));
}

TEST(Run, SetsTimeAsideForTheLastGateAndTheClosingMatches) {
  RunConfig config = tiny_run();
  config.gate.mode = GateMode::Sprt;
  config.run.minutes = 10;
  TimeLimits limits = time_limits(config);
  EXPECT_DOUBLE_EQ(limits.training, 480);
  EXPECT_DOUBLE_EQ(limits.gates, 540);
  EXPECT_DOUBLE_EQ(limits.whole, 600);
  config.run.minutes = 1'000;
  limits = time_limits(config);
  EXPECT_DOUBLE_EQ(limits.training, 60'000 - 1'200);
  config.run.closing_pairs = 0;
  EXPECT_DOUBLE_EQ(time_limits(config).gates, 60'000);
  config.gate.mode = GateMode::Always;
  EXPECT_DOUBLE_EQ(time_limits(config).training, 60'000);
  config.run.minutes = 0;
  EXPECT_EQ(time_limits(config).training, INFINITY);
}

// Stopped in its gate, the run has used up its minutes when it goes on by this schedule.
void expect_minutes_to_end_the_gate(Schedule schedule) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  config.run.generations = 1;
  const auto root = folder / "run";
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  observer.on_progress = [&](const PhaseProgress& progress) {
    stop = stop || progress.phase == RunPhase::Gate;
  };
  EXPECT_EQ(train(config, root, false, "", observer, stop).end, RunEnd::Stopped);
  const auto unfinished = [&] {
    return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).unfinished_gate().has_value();
  };
  EXPECT_TRUE(unfinished());

  config.training.schedule = schedule;
  config.run.minutes = 1e-6;
  RecordingObserver late;
  const RunResult cut_off = train(config, root, true, "", late, kGoOn);
  EXPECT_EQ(cut_off.end, RunEnd::Minutes);
  EXPECT_EQ(cut_off.generation, 0);
  EXPECT_FALSE(cut_off.against_random.played);
  EXPECT_THAT(late.messages,
              Contains(HasSubstr("the match against random ends after 0 of 3 pairs")));
  EXPECT_TRUE(unfinished());

  config.run.minutes = 0;
  EXPECT_EQ(run_to_end(config, root, true).generation, 1);
  EXPECT_FALSE(unfinished());
}

TEST(Run, MinutesEndTheGateToo) { expect_minutes_to_end_the_gate(Schedule::Alternate); }

TEST(Run, MinutesEndTheGateOfAnOverlappingRunToo) {
  expect_minutes_to_end_the_gate(Schedule::Overlap);
}

TEST(Run, AGateWhoseCandidateIsLostIsAbandonedForAnother) {
  for (const bool gone : {true, false}) {
    const TemporaryFolder folder;
    RunConfig config = tiny_run();
    config.gate.mode = GateMode::Fixed;
    config.gate.threshold = 0;
    config.gate.max_pairs = 500;  // more than are over before it is told to stop
    config.run.generations = 1;
    config.run.closing_pairs = 0;
    const auto root = folder / "run";
    std::atomic<bool> stop = false;
    RecordingObserver observer;
    observer.on_progress = [&](const PhaseProgress& progress) {
      stop = stop || (progress.phase == RunPhase::Gate && progress.done > 0);
    };
    EXPECT_EQ(train(config, root, false, "", observer, stop).end, RunEnd::Stopped);
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
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  observer.on_progress = [&](const PhaseProgress& progress) {
    stop = stop || progress.phase == RunPhase::Training;
  };
  EXPECT_EQ(train(config, folder / "run", false, "", observer, stop).end, RunEnd::Stopped);
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

TEST(Run, SaysWhatItsDeviceDoes) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
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

TEST(Run, StartsWhereOnlyAnEmptyDatabaseLies) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
  const auto root = folder / "run";
  std::filesystem::create_directories(root);
  std::ofstream(root / "run.sqlite").close();
  EXPECT_THAT(message_of([&] { run_to_end(config, root, true); }), HasSubstr("no run in"));
  EXPECT_EQ(run_to_end(config, root).generation, 1);
}

TEST(Run, DoesNotOverwriteModelsThatHaveLostTheirDatabase) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
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
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
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

TEST(Run, RefusesRulesWithTooFewOpeningsBeforeItTrains) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.rules.max_plies = 1;
  EXPECT_THAT(message_of([&] { run_to_end(config, folder / "run"); }),
              HasSubstr("run.closing_pairs is too large: these rules have no 3 distinct"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run" / "run.sqlite"));
}

// Evaluates after every promotion, of which an overlapping run may make two during one evaluation:
// then it evaluates the later one.
void expect_evaluations(Schedule schedule) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.training.schedule = schedule;
  config.run.generations = 3;
  const auto root = folder / "run";
  RecordingObserver observer;
  train(config, root, false, "", observer, kGoOn, one_opponent(make_random_agent));
  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  std::vector<std::int64_t> promoted;
  for (const GenerationEntry& entry : store.generations())
    if (entry.number > 0) promoted.push_back(entry.samples);
  ASSERT_EQ(promoted.size(), 3U);
  for (const char* opponent : {"fixed", "previous"})
    for (const char* score : {"score", "score_as_goat", "score_as_tiger"}) {
      const std::string name = std::string("evaluation/") + opponent + "/" + score;
      const std::vector<MetricEntry> stored = store.metrics(name);
      ASSERT_EQ(observer.series[name].size(), stored.size()) << name;
      ASSERT_FALSE(stored.empty()) << name;
      EXPECT_EQ(stored.back().step, promoted.back());
      EXPECT_TRUE(stored.size() == promoted.size() || schedule == Schedule::Overlap);
      for (std::size_t i = 0; i < stored.size(); ++i) {
        EXPECT_THAT(promoted, Contains(stored[i].step));
        EXPECT_EQ(observer.series[name][i], std::pair(stored[i].step, stored[i].value));
      }
    }
  EXPECT_THAT(observer.messages,
              Contains(::testing::ContainsRegex("evaluation of generation 3, 2 pairs each in .* s: "
                                                "fixed .* %.*as tiger .*, previous .*, 2_before")));
  // Two pairs with every opponent.
  const std::size_t matches = store.metrics("evaluation/fixed/score").size() +
                              store.metrics("evaluation/previous/score").size() +
                              store.metrics("evaluation/2_before/score").size();
  EXPECT_EQ(ladder_games(root, config), 4 * static_cast<std::int64_t>(matches));
  // Of other things, such as a busy machine, it may be warned.
  EXPECT_THAT(observer.warnings, Not(Contains(HasSubstr("failed"))));
}

TEST(Run, EvaluatesPromotedGenerations) { expect_evaluations(Schedule::Alternate); }

TEST(Run, EvaluatesPromotedGenerationsWhileItOverlaps) { expect_evaluations(Schedule::Overlap); }

TEST(Run, EvaluatesEveryFewPromotionsAndSparesAnOpponentThatFails) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.evaluation.every = 2;
  config.evaluation.generations = 1;
  RecordingObserver observer;
  const RunResult result =
      train(config, folder / "run", false, "", observer, kGoOn,
            one_opponent([]() -> std::unique_ptr<Agent> { throw std::runtime_error("no such"); }));
  EXPECT_EQ(result.end, RunEnd::Generations);
  EXPECT_EQ(ladder_games(folder / "run", config), 4);
  EXPECT_TRUE(observer.series["evaluation/fixed/score"].empty());
  EXPECT_EQ(observer.series["evaluation/previous/score"].size(), 1U);
  EXPECT_THAT(observer.warnings, Contains(HasSubstr("against fixed failed: no such")));
}

void expect_whole_evaluations_only(Schedule schedule) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.training.schedule = schedule;
  config.run.generations = 1;
  const auto root = folder / "run";
  // Told to stop in the midst of a game.
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  const auto stopping = one_opponent([&stop] {
    stop = true;
    return make_random_agent();
  });
  EXPECT_EQ(train(config, root, false, "", observer, stop, stopping).end, RunEnd::Stopped);
  EXPECT_TRUE(stop);
  EXPECT_EQ(ladder_games(root, config), 0);
  EXPECT_TRUE(observer.series["evaluation/previous/score"].empty());

  RecordingObserver rest;
  EXPECT_EQ(train(config, root, true, "", rest, kGoOn, one_opponent(make_random_agent)).end,
            RunEnd::Generations);
  EXPECT_EQ(ladder_games(root, config), 8);
  EXPECT_EQ(rest.series["evaluation/fixed/score"].size(), 1U);
}

TEST(Run, CountsNothingOfAnEvaluationThatIsStoppedAndHoldsItOnResume) {
  expect_whole_evaluations_only(Schedule::Alternate);
}

TEST(Run, CountsNothingOfAnEvaluationThatIsStoppedWhileItOverlaps) {
  expect_whole_evaluations_only(Schedule::Overlap);
}

TEST(Run, EndsAnEvaluationInTime) {
  const TemporaryFolder folder;
  RunConfig config = tiny_evaluated_run();
  config.run.generations = 1;
  config.evaluation.seconds = 1e-9;
  RecordingObserver observer;
  EXPECT_EQ(
      train(config, folder / "run", false, "", observer, kGoOn, one_opponent(make_random_agent))
          .end,
      RunEnd::Generations);
  EXPECT_THAT(observer.messages, Contains(HasSubstr("fixed not played, previous not played")));
  EXPECT_EQ(ladder_games(folder / "run", config), 0);
}

TEST(Run, OverlappingNeverTriesTheSameWeightsTwice) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.training.schedule = Schedule::Overlap;
  config.run.generations = 0;
  config.run.sample_budget = 200;
  config.run.closing_pairs = 0;
  const auto root = folder / "run";
  EXPECT_EQ(run_to_end(config, root).end, RunEnd::SampleBudget);
  const auto gates = [&] {
    return RunStore(root / "run.sqlite", RunStore::Mode::ReadOnly).gates().size();
  };
  const std::size_t before = gates();
  EXPECT_GT(before, 0U);
  EXPECT_EQ(run_to_end(config, root, true).end, RunEnd::SampleBudget);
  EXPECT_EQ(gates(), before);
}

TEST(Run, OverlapsSelfPlayTrainingAndGates) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.training.schedule = Schedule::Overlap;
  config.gate.mode = GateMode::Fixed;
  config.gate.threshold = 0;
  const RunResult result = run_to_end(config, folder / "run");
  EXPECT_EQ(result.end, RunEnd::Generations);
  EXPECT_EQ(result.generation, 2);
  EXPECT_TRUE(result.against_greedy.played);
  EXPECT_LE(static_cast<double>(result.samples),
            config.training.reuse * static_cast<double>(result.rows) + config.training.batch);
  const RunStore store(folder / "run" / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(store.game_count(), result.games);
  EXPECT_FALSE(store.unfinished_gate().has_value());
}

TEST(Run, StopsWhileItOverlapsAndResumes) {
  const TemporaryFolder folder;
  RunConfig config = tiny_run();
  config.training.schedule = Schedule::Overlap;
  std::atomic<bool> stop = false;
  RecordingObserver observer;
  int calls = 0;
  observer.on_progress = [&](const PhaseProgress&) { stop = ++calls > 5; };
  EXPECT_EQ(train(config, folder / "run", false, "", observer, stop).end, RunEnd::Stopped);
  EXPECT_EQ(run_to_end(config, folder / "run", true).generation, 2);
}

TEST(Run, RefusesWithASentence) {
  const TemporaryFolder folder;
  const auto root = folder / "run";
  RunConfig config = tiny_run();
  config.run.generations = 1;
  config.run.closing_pairs = 0;
  EXPECT_THAT(message_of([&] { run_to_end(config, root, true); }), HasSubstr("no run in"));
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
  observer.on_progress = [&](const PhaseProgress&) {
    if (refusal.empty())
      refusal = message_of([&] { run_to_end(tiny_run(), folder / "run", true); });
  };
  RunConfig config = tiny_run();
  config.run.generations = 1;
  train(config, folder / "run", false, "", observer, kGoOn);
  EXPECT_THAT(refusal, HasSubstr("process " + std::to_string(::getpid()) + " is training in"));
}

}  // namespace
}  // namespace baghzero
