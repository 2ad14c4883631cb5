// Searches that ask the solved movement phase.
#include <memory>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "engine/search/search.h"
#include "tests/solver/support.h"

namespace baghzero {
namespace {

std::shared_ptr<const MovementTable> unowned(const MovementTable& table) {
  return {std::shared_ptr<const MovementTable>(), &table};
}

SearchSettings solver_settings(std::shared_ptr<const MovementTable> table,
                               RootPolicy policy = RootPolicy::Puct) {
  SearchSettings settings;
  settings.root_policy = policy;
  settings.solver = true;
  settings.solved = std::move(table);
  return settings;
}

Rules rules_with(Repetition repetition) {
  Rules rules;
  rules.repetition = repetition;
  return rules;
}

// Evaluations that a search needed.
class CountingEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    inner_.evaluate(queries, evaluations);
    for (const Query& query : queries) ++(query.position.in_placement() ? placements : movements);
  }
  int max_batch() const override { return 1; }
  int placements = 0;
  int movements = 0;

 private:
  UniformEvaluator inner_;
};

Proof proof_of(const SolvedValue& value, Side side) {
  if (value.outcome == Outcome::Draw) return Proof::Draw;
  return value.outcome == win_for(side) ? Proof::Win : Proof::Loss;
}

Position random_position(Random& random, int placed) {
  return test::random_board(random, placed,
                            static_cast<int>(random.below(test::kConsistentCaptures)),
                            random.below(2) ? Side::Tiger : Side::Goat);
}

class SolverSearch : public testing::TestWithParam<RootPolicy> {};

TEST_P(SolverSearch, ProvesRootsOfTheMovementPhaseWithOneEvaluation) {
  const MovementTable& table = test::solved_on_random_values();
  Search search(solver_settings(unowned(table), GetParam()), SearchMode::Match);
  Random random(10);
  for (int sample = 0; sample < 300; ++sample) {
    const Position position = random_position(random, kSolvedGoats);
    const Game game(rules_with(Repetition::Threefold), position, kSolvedGoats);
    if (game.legal().size() < 2) continue;
    search.begin(game, {.visits = 20'000}, 1);
    CountingEvaluator evaluator;
    search.run(evaluator);
    const SolvedValue value = table.value(position);
    const Proof proof = proof_of(value, position.side_to_move());
    EXPECT_EQ(evaluator.movements, 1);
    // Sequential halving leaves some moves aside for good.
    if (GetParam() == RootPolicy::Puct || proof == Proof::Win) {
      ASSERT_EQ(search.root_proof(), proof) << format_fen(game);
    }
    if (search.root_proof() != Proof::Win) continue;
    const SolvedValue after = table.value(position.after(search.best_action()));
    const bool captured_out = position.after(search.best_action()).captured() == kSolvedCaptures;
    ASSERT_EQ(captured_out ? 0 : after.plies, value.plies - 1) << format_fen(game);
  }
}
INSTANTIATE_TEST_SUITE_P(RootPolicies, SolverSearch,
                         testing::Values(RootPolicy::Puct, RootPolicy::Gumbel));

TEST(SolverSearch, ProvesTheLastPlacement) {
  const MovementTable& table = test::solved_on_random_values();
  Search search(solver_settings(unowned(table)), SearchMode::Match);
  Random random(11);
  for (int sample = 0; sample < 100; ++sample) {
    const Position position = test::random_board(random, kSolvedGoats - 1, 0, Side::Goat);
    const Game game(rules_with(Repetition::Off), position, kSolvedGoats - 1);
    if (game.legal().size() < 2) continue;
    search.begin(game, {.visits = 20'000}, 1);
    CountingEvaluator evaluator;
    search.run(evaluator);
    EXPECT_EQ(evaluator.placements, 1);
    EXPECT_EQ(evaluator.movements, 0);
    const SolvedValue value =
        test::naive_value(position, [&](const Position& next) { return table.value(next); });
    ASSERT_EQ(search.root_proof(), proof_of(value, Side::Goat)) << format_fen(game);
  }
}

TEST(SolverSearch, LeavesDrawsToTheNetworkWhereRepetitionIsForbidden) {
  const auto draws = std::make_shared<const MovementTable>(test::uniform_table(Outcome::Draw));
  Search search(solver_settings(draws), SearchMode::Match);
  Random random(12);
  const Position position = test::random_board(random, kSolvedGoats, 3, Side::Tiger);
  const Game game(rules_with(Repetition::Forbidden), position, kSolvedGoats);
  ASSERT_FALSE(game.over());
  search.begin(game, {.visits = 50}, 1);
  CountingEvaluator evaluator;
  search.run(evaluator);
  EXPECT_GT(evaluator.movements, 20);
  EXPECT_NE(search.root_proof(), Proof::Draw);
}

TEST(SolverSearch, TellsNothingOfOtherGames) {
  const auto wins = std::make_shared<const MovementTable>(test::uniform_table(Outcome::GoatsWin));
  Search search(solver_settings(wins), SearchMode::Match);
  Rules rules = rules_with(Repetition::Off);
  rules.captures_to_win = 4;
  Random random(13);
  const Game game(rules, random_position(random, kSolvedGoats), kSolvedGoats);
  search.begin(game, {.visits = 20}, 1);
  CountingEvaluator evaluator;
  search.run(evaluator);
  EXPECT_GT(evaluator.movements, 5);
}

TEST(SolverSearch, NeedsTheSolvedGame) {
  EXPECT_THROW(Search(solver_settings(nullptr), SearchMode::Match), std::invalid_argument);
}

TEST(ValueInGame, HoldsAsFarAsTheRulesOfTheGameLetIt) {
  Random random(14);
  const Position position = test::random_board(random, kSolvedGoats, 0, Side::Tiger);
  const MovementTable wins = test::uniform_table(Outcome::GoatsWin);
  const Rules forbidden;
  const SolvedValue in_two{Outcome::GoatsWin, 2};
  EXPECT_EQ(value_in_game(wins, position, forbidden, 2), in_two);
  EXPECT_EQ(value_in_game(wins, position, forbidden, 1), std::nullopt);
  const MovementTable draws = test::uniform_table(Outcome::Draw);
  EXPECT_EQ(value_in_game(draws, position, forbidden, 150), std::nullopt);
  EXPECT_EQ(value_in_game(draws, position, rules_with(Repetition::Threefold), 1), SolvedValue{});
}

}  // namespace
}  // namespace baghzero
