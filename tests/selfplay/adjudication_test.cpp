// Self-play games that the solved game ends.
#include <gtest/gtest.h>

#include "selfplay/slot.h"
#include "stand_in.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

SelfPlaySettings adjudicated(const MovementTable& table) {
  SelfPlaySettings settings = quick_settings();
  settings.adjudicate = Adjudicate::Solver;
  settings.search.solved = {std::shared_ptr<const MovementTable>(), &table};
  return settings;
}

std::vector<GameRecord> play(const SelfPlaySettings& settings, const Rules& rules, int games) {
  GameSlot slot(settings, rules);
  SelfPlayCounters counters;
  std::vector<GameRecord> records;
  for (int index = 0; index < games; ++index) {
    slot.begin(static_cast<std::uint64_t>(index));
    while (slot.advance(counters) == SlotStatus::NeedsEvaluation)
      slot.supply(arbitrary_evaluation(slot.query(), 1), 3);
    records.push_back(slot.take_record());
  }
  return records;
}

Rules rules_with(Repetition repetition) {
  Rules rules;
  rules.repetition = repetition;
  return rules;
}

// Positions of the movement phase from which a move was made or in which the game ended.
int movement_positions(const Game& game) {
  return static_cast<int>(std::ranges::count_if(
      game.positions(), [](const Position& position) { return !position.in_placement(); }));
}

TEST(Adjudication, EndsGamesWhereTheMovementPhaseBegins) {
  const MovementTable wins = test::uniform_table(Outcome::GoatsWin);
  SelfPlaySettings settings = adjudicated(wins);
  settings.late_start_share = 0.5;
  int ended = 0;
  for (const GameRecord& record : play(settings, {}, 60)) {
    EXPECT_FALSE(record.moves.empty());
    EXPECT_TRUE(record.start.in_placement());
    const GameRecord stored = decode_game(encode_game(record));
    const Game game = replay(stored);
    ASSERT_LE(movement_positions(game), 1);
    if (game.position().in_placement()) {
      EXPECT_NE(record.termination, Termination::Adjudicated);
      continue;
    }
    EXPECT_EQ(game.outcome(), Outcome::GoatsWin);
    ended += game.termination() == Termination::Adjudicated;  // the last placement may end it too
  }
  EXPECT_GT(ended, 10);
}

TEST(Adjudication, CallsADrawWhereEndlessPlayIsOne) {
  const MovementTable draws = test::uniform_table(Outcome::Draw);
  int drawn = 0;
  for (const GameRecord& record : play(adjudicated(draws), rules_with(Repetition::Threefold), 40)) {
    if (record.termination != Termination::Adjudicated) continue;
    EXPECT_EQ(record.outcome, Outcome::Draw);
    ++drawn;
  }
  EXPECT_GT(drawn, 5);
}

TEST(Adjudication, PlaysDrawnPositionsOnWhereRepetitionIsForbidden) {
  const MovementTable draws = test::uniform_table(Outcome::Draw);
  Rules rules;
  rules.no_capture_limit = 20;
  int moved = 0;
  for (const GameRecord& record : play(adjudicated(draws), rules, 40)) {
    EXPECT_NE(record.termination, Termination::Adjudicated);
    moved += movement_positions(replay(record)) > 1;
  }
  EXPECT_GT(moved, 5);
}

TEST(Adjudication, LeavesWinsThatALimitWouldForestall) {
  const MovementTable wins = test::uniform_table(Outcome::GoatsWin);
  Rules rules;
  rules.no_capture_limit = 1;  // too soon for two plies, with the tigers to move
  int limited = 0;
  for (const GameRecord& record : play(adjudicated(wins), rules, 40)) {
    if (record.termination == Termination::Adjudicated) continue;
    limited += record.termination == Termination::NoCaptureLimit;
  }
  EXPECT_GT(limited, 5);
}

TEST(Adjudication, NeedsTheSolvedGame) {
  SelfPlaySetup setup;
  setup.settings = quick_settings();
  setup.settings.adjudicate = Adjudicate::Solver;
  setup.network = stand_in_network(0);
  setup.make_evaluator = [](const NetworkPtr&) {
    return std::make_unique<ArbitraryEvaluator>(1, 4);
  };
  CollectingSink sink;
  EXPECT_THROW(SelfPlay(setup, sink), std::invalid_argument);
  const MovementTable draws = test::uniform_table(Outcome::Draw);
  setup.settings = adjudicated(draws);
  setup.rules.goats = 5;
  EXPECT_THROW(SelfPlay(setup, sink), std::invalid_argument);
}

}  // namespace
}  // namespace baghzero
