// Positions whose exact value is known by hand, for both roles and both root policies.
#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

class SearchPositions : public testing::TestWithParam<RootPolicy> {
 protected:
  Search search(const Game& game, std::uint32_t visits) const {
    return searched(game, visits, settings_for(GetParam()));
  }
  static std::string best(const Search& search, const Game& game) {
    return format_move(game.side_to_move(), search.best_action());
  }
};

TEST_P(SearchPositions, TigerTakesTheLastGoat) {
  const Game game = game_after("GGBB1/GGGG1/GG1GG/1G2G/BGGB1 B 18");
  const Search result = search(game, 10);
  EXPECT_EQ(result.root_proof(), Proof::Win);
  EXPECT_EQ(result.root_wdl(), kWin);
  Game after = game;
  after.play(result.best_action());
  EXPECT_EQ(after.termination(), Termination::Captures);
  EXPECT_EQ(after.outcome(), Outcome::TigersWin);
  EXPECT_EQ(result.visits(), 2U);
}

TEST_P(SearchPositions, GoatCompletesTheBlockadeByPlacing) {
  const Game game = game_after("G1GGG/GG1BG/GGGGG/GGGBG/GBGGB G 19");
  const Search result = search(game, 10);
  EXPECT_EQ(result.root_proof(), Proof::Win);
  EXPECT_EQ(result.root_wdl(), kWin);
  EXPECT_EQ(best(result, game), "G23");
  EXPECT_EQ(move_named(result, game, "G23").proof_plies, 1);
  EXPECT_EQ(move_named(result, game, "G23").value, 1);
}

TEST_P(SearchPositions, GoatCompletesTheBlockadeByMoving) {
  const Game game = game_after("GBGGG/GGG1G/BGGBG/BGGGG/GGGG1 G 21");
  const Search result = search(game, 10);
  EXPECT_EQ(result.root_proof(), Proof::Win);
  EXPECT_EQ(best(result, game), "G1524");
  Game after = game;
  after.play(result.best_action());
  EXPECT_EQ(after.termination(), Termination::TigersBlocked);
}

// The same ends seen by the side that cannot escape them.
TEST_P(SearchPositions, TigersLoseWhenEveryMoveAllowsTheBlockade) {
  const Game game = game_after("GGGGG/GGGGB/GBGBG/G1GGG/GBGGG B 20");
  const Exact exact = minimax(game, 4);
  ASSERT_EQ(exact.proof, Proof::Loss);
  const Search result = search(game, 500);
  EXPECT_EQ(result.root_proof(), Proof::Loss);
  EXPECT_EQ(result.root_wdl(), kLoss);
  for (const RootMove& move : result.root_moves())
    if (move.action == result.best_action()) {
      EXPECT_EQ(move.proof_plies, exact.plies);
      EXPECT_EQ(move.proof_plies, 4);
    }
}

TEST_P(SearchPositions, GoatsLoseWhenEveryMoveAllowsTheFifthCapture) {
  const Game game = game_after("GGGG1/GGGGG/GG1GB/BG1B1/GG1BG G 25");
  ASSERT_EQ(minimax(game, 2).proof, Proof::Loss);
  const Search result = search(game, 500);
  EXPECT_EQ(result.root_proof(), Proof::Loss);
  EXPECT_EQ(result.root_wdl(), kLoss);
  for (const RootMove& move : result.root_moves()) {
    EXPECT_EQ(move.proof, Proof::Loss);
    EXPECT_EQ(move.proof_plies, 2);
  }
}

TEST_P(SearchPositions, GoatsBlockTheFifthCaptureByPlacing) {
  const Game game = game_after("GGBB1/GGGG1/GG1GG/1G2G/BGGB1 G 18");
  const Search result = search(game, 400);
  EXPECT_EQ(best(result, game), "G33");
  for (const RootMove& move : result.root_moves()) {
    if (move.action == result.best_action()) continue;
    EXPECT_EQ(move.proof, Proof::Loss);
    EXPECT_EQ(move.proof_plies, 2);
    EXPECT_EQ(move.value, -1);
  }
}

TEST_P(SearchPositions, GoatsBlockTheFifthCaptureByMoving) {
  const Game game = game_after("GGGGG/GGG1B/GGBG1/GG1B1/BGGG1 G 30");
  const Search result = search(game, 400);
  EXPECT_EQ(best(result, game), "G3424");
  for (const RootMove& move : result.root_moves()) {
    if (move.action == result.best_action()) continue;
    EXPECT_EQ(move.proof, Proof::Loss);
    EXPECT_EQ(move.proof_plies, 2);
  }
}

// All moves of the tigers would bring back a situation: they lose, though they are not blocked.
TEST_P(SearchPositions, GoatsWinBecauseTigersWouldRepeat) {
  const char* start = "BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20";
  const char* moves = "B1213 G5152 B1112";
  const Game game = game_after(start, moves);
  const Search result = search(game, 400);
  EXPECT_EQ(result.root_proof(), Proof::Win);
  EXPECT_EQ(best(result, game), "G5251");
  EXPECT_EQ(move_named(result, game, "G5251").proof_plies, 1);
  Game after = game;
  after.play(result.best_action());
  EXPECT_EQ(after.termination(), Termination::RepetitionExhausted);

  // Without the rule, or without the history, the move wins nothing at once.
  const Game free = game_after(start, moves, rules_with(Repetition::Off));
  EXPECT_NE(move_named(search(free, 400), free, "G5251").proof_plies, 1);
  const Game fresh = game_from_fen(format_fen(game));
  EXPECT_NE(move_named(search(fresh, 400), fresh, "G5251").proof_plies, 1);
}

TEST_P(SearchPositions, TigersWinBecauseGoatsWouldRepeat) {
  const Game game = game_after("GGGBB/GGG1G/GGGGB/BGGGG/GGGGG B 20", "B1524 G2515 B2425 G1524");
  const Search result = search(game, 400);
  EXPECT_EQ(result.root_proof(), Proof::Win);
  EXPECT_EQ(best(result, game), "B2515");
  Game after = game;
  after.play(result.best_action());
  EXPECT_EQ(after.termination(), Termination::RepetitionExhausted);
}

TEST_P(SearchPositions, ThirdOccurrenceIsADrawForGoats) {
  const Game game =
      game_after("BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20", "B1213 G5152 B1312 G5251 B1213 G5152 B1312",
                 rules_with(Repetition::Threefold));
  const Search result = search(game, 400);
  const RootMove& repeat = move_named(result, game, "G5251");
  EXPECT_EQ(repeat.proof, Proof::Draw);
  EXPECT_EQ(repeat.value, 0);
}

TEST_P(SearchPositions, ThirdOccurrenceIsADrawForTigers) {
  const Game game =
      game_after("BB1GB/1GGGG/GGGGG/1GGGB/G1GGG G 20", "G5152 B1213 G5251 B1312 G5152 B1213 G5251",
                 rules_with(Repetition::Threefold));
  const Search result = search(game, 400);
  const RootMove& repeat = move_named(result, game, "B1312");
  EXPECT_EQ(repeat.proof, Proof::Draw);
  EXPECT_EQ(repeat.value, 0);
}

TEST_P(SearchPositions, NoCaptureLimitDrawsWhatDoesNotWin) {
  Rules rules;
  rules.no_capture_limit = 1;
  const Game winning = game_after("1BGBG/GGGGG/GGGGG/GGBGG/GBGGG G 20", "", rules);
  EXPECT_EQ(search(winning, 50).root_proof(), Proof::Win);

  rules.no_capture_limit = 2;
  const Game game = game_after("BB1GB/1GGGG/GGGGG/1GGGB/G1GGG B 20", "B1213", rules);
  const Search result = search(game, 200);
  EXPECT_EQ(result.root_proof(), Proof::Draw);
  EXPECT_EQ(result.root_wdl(), kDraw);
  for (const RootMove& move : result.root_moves()) EXPECT_EQ(move.proof, Proof::Draw);
}

TEST_P(SearchPositions, MaxPliesDrawsWhatDoesNotWin) {
  Rules rules;
  rules.max_plies = 5;
  const Game game = random_game(rules, 4, 1);
  const Search result = search(game, 2000);
  for (const RootMove& move : result.root_moves())
    if (move.visits > 0) {
      EXPECT_EQ(move.proof, Proof::Draw);
    }
  if (GetParam() == RootPolicy::Puct) {
    EXPECT_EQ(result.root_proof(), Proof::Draw);
  }
}

// Several moves exist on the board, but repetition leaves one.
TEST_P(SearchPositions, OneLegalMoveNeedsNoSearch) {
  for (const Game& game :
       {game_after("GGGGB/GGGGB/G1GGG/G2GG/GBB1G B 20",
                   "B5342 G2232 B5253 G1122 B4243 G5554 B5342 G5455"),
        game_after("GGGGG/GGGGG/GGGBG/GGGB1/BBGG1 B 20", "B4445 G5344 B4555 G5453 B5545")}) {
    ASSERT_EQ(game.legal().size(), 1);
    ASSERT_EQ(board_legal_actions(game.position()).size(), 3);
    const Search result = search(game, 400);
    EXPECT_EQ(result.visits(), 1U);
    EXPECT_EQ(result.best_action(), game.legal()[0]);
    float target = 0;
    result.policy_target({&target, 1});
    EXPECT_EQ(target, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Roots, SearchPositions,
                         testing::Values(RootPolicy::Puct, RootPolicy::Gumbel),
                         [](const auto& param) {
                           return param.param == RootPolicy::Puct ? "Puct" : "Gumbel";
                         });

}  // namespace
}  // namespace baghzero::search_test
