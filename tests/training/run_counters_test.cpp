// What a run counts, when it is stopped or breaks off and goes on.
#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/temporary_folder.h"
#include "tests/training/tiny_run.h"
#include "training/run.h"
#include "training/run_context.h"
#include "training/run_phases.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

using testing::kGoOn;
using testing::RecordingObserver;
using testing::run_to_end;
using testing::StoppingObserver;
using testing::TemporaryFolder;
using testing::tiny_run;

// Two workers, so that the games themselves are a matter of timing. Nearly all of them last until
// max_plies, so that an iteration has some 590 rows, and the limit lies in the midst of the third.
RunConfig budgeted_run() {
  RunConfig config = tiny_run();
  config.rules.captures_to_win = config.rules.goats;
  config.selfplay.full_search_share = 1;
  config.selfplay.workers = 2;
  config.run.generations = 0;
  config.run.closing_pairs = 0;
  config.run.games_per_iteration = 16;
  config.run.sample_budget = 1'472;
  return config;
}

struct Counters {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  std::int64_t games = 0;
  int iteration = 0;
  bool operator==(const Counters&) const = default;
};
void PrintTo(const Counters& counters, std::ostream* out) {
  *out << counters.steps << " steps, " << counters.samples << " samples, " << counters.games
       << " games, " << counters.iteration << " iterations";
}

Counters counters_of(const std::filesystem::path& root) {
  const RunState state = *load_newest_state(root / "state").state;
  const RunStore store(root / "run.sqlite", RunStore::Mode::ReadOnly);
  EXPECT_EQ(store.game_count(), state.last_game);
  return {state.trainer.steps, state.trainer.samples, state.last_game, state.iteration};
}

// Games and weights differ between two such runs, what they count does not.
TEST(RunCounters, AreThoseOfARunNeverStoppedWhereverItIsStopped) {
  const TemporaryFolder folder;
  const RunConfig config = budgeted_run();
  EXPECT_EQ(run_to_end(config, folder / "whole").end, RunEnd::SampleBudget);
  const Counters whole = counters_of(folder / "whole");
  ASSERT_EQ(whole.samples, config.run.sample_budget);
  ASSERT_EQ(whole.iteration, 3);
  for (const RunPhase phase : {RunPhase::SelfPlay, RunPhase::Training, RunPhase::Gate}) {
    const auto root = folder / ("stopped_" + std::to_string(static_cast<int>(phase)));
    int iterations = 0;
    StoppingObserver observer(
        [&](const PhaseProgress& progress) { return iterations == 1 && progress.phase == phase; });
    observer.on_message = [&](const std::string& text) {
      if (text.starts_with("iteration ")) ++iterations;
    };
    RunConfig slow = config;
    if (phase == RunPhase::SelfPlay)  // which looks for a stop five times a second
      slow.selfplay.full_visits = slow.selfplay.cheap_visits = 600;
    ASSERT_EQ(train(slow, root, false, "", observer, observer.stop).end, RunEnd::Stopped);
    EXPECT_LT(counters_of(root).samples, whole.samples);
    EXPECT_LT(counters_of(root).games, whole.games);
    EXPECT_EQ(run_to_end(config, root, true).end, RunEnd::SampleBudget);
    EXPECT_EQ(counters_of(root), whole) << "stopped in phase " << static_cast<int>(phase);
  }
}

// What a kill in mid-training leaves is what the folder holds then: a state that was saved when its
// time had come, and steps after it that are lost.
TEST(RunCounters, AreTheSameAfterAKillBetweenTimedStates) {
  const TemporaryFolder folder;
  const RunConfig config = budgeted_run();
  RecordingObserver observer;
  RunContext run(config, folder / "whole", false, "", observer, kGoOn);
  run.save_interval = std::chrono::seconds(0);
  std::int64_t steps_then = 0;
  observer.on_progress = [&](const PhaseProgress& progress) {
    if (steps_then > 0 || progress.phase != RunPhase::Training || run.state.iteration != 1 ||
        progress.done < 2)
      return;
    steps_then = run.trainer.steps();
    std::filesystem::copy(folder / "whole", folder / "killed",
                          std::filesystem::copy_options::recursive);
  };
  EXPECT_EQ(run_alternating(run), RunEnd::SampleBudget);
  run.save();
  ASSERT_GT(steps_then, 0);
  const RunState left = *load_newest_state(folder / "killed" / "state").state;
  EXPECT_EQ(left.next, RunStep::Training);
  EXPECT_LT(left.trainer.steps, steps_then);
  const RunState before = load_state(state_files(folder / "killed" / "state").back());
  EXPECT_GT(left.trainer.steps, before.trainer.steps) << "saved in mid-training";
  EXPECT_EQ(run_to_end(config, folder / "killed", true).end, RunEnd::SampleBudget);
  EXPECT_EQ(counters_of(folder / "killed"), counters_of(folder / "whole"));
}

}  // namespace
}  // namespace baghzero
