#include "selfplay/calibration.h"

#include <gtest/gtest.h>

namespace baghzero {
namespace {

MoveRecord searched(float win, float draw) {
  MoveRecord move;
  move.searched = true;
  move.root_wdl = {win, draw, 1 - win - draw};
  return move;
}

// Only the number of moves and who begins matter here, so that the moves need not be legal.
GameRecord game(int goat_moves, Outcome outcome, std::vector<MoveRecord> moves) {
  GameRecord record;
  record.start_goat_moves = goat_moves;
  record.outcome = outcome;
  record.moves = std::move(moves);
  return record;
}

TEST(ValueCalibration, TellsRolesAndPhasesApart) {
  ValueCalibration calibration;
  // The last placement, a tiger's move and the first step of a goat, in a game that goats win.
  calibration.add(
      game(19, Outcome::GoatsWin, {searched(0.8F, 0), searched(0.3F, 0), searched(0.6F, 0.2F)}));
  const auto values = calibration.metrics();
  EXPECT_NEAR(values.at("goat_placement_bias"), -0.2, 1e-6);
  EXPECT_NEAR(values.at("tiger_movement_bias"), 0.3, 1e-6);
  EXPECT_NEAR(values.at("goat_movement_bias"), -0.3, 1e-6);
  EXPECT_EQ(values.count("tiger_placement_bias"), 0U);
}

TEST(ValueCalibration, ErrorsOfDifferentTenthsDoNotCancelOut) {
  ValueCalibration calibration;
  calibration.add(game(0, Outcome::GoatsWin, {searched(0.75F, 0)}));
  calibration.add(game(0, Outcome::TigersWin, {searched(0.25F, 0)}));
  calibration.add(game(0, Outcome::Draw, {searched(0, 1)}));
  const auto values = calibration.metrics();
  EXPECT_NEAR(values.at("goat_placement_bias"), 0, 1e-6);
  EXPECT_NEAR(values.at("goat_placement_error"), 0.5 / 3, 1e-6);
}

TEST(ValueCalibration, MovesWithoutASearchCountForNothing) {
  ValueCalibration calibration;
  calibration.add(game(0, Outcome::GoatsWin, {MoveRecord{}, MoveRecord{}}));
  EXPECT_TRUE(calibration.metrics().empty());
}

}  // namespace
}  // namespace baghzero
