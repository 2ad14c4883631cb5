// Engine mode keeps the part of the tree that the game has walked into.
#include <vector>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

// Counts the evaluations that a search asks for.
class CountingEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    count += static_cast<int>(queries.size());
    inner_.evaluate(queries, evaluations);
  }
  int max_batch() const override { return inner_.max_batch(); }
  int count = 0;

 private:
  IrregularEvaluator inner_;
};

void run(Search& search, const Game& game, std::uint32_t visits, Evaluator& evaluator) {
  search.begin(game, {.visits = visits}, 1);
  search.run(evaluator);
}

std::uint32_t visits_of(const Search& search, Action action) {
  for (const RootMove& move : search.root_moves())
    if (move.action == action) return move.visits;
  return 0;
}

TEST(SearchReuse, KeepsTheSubtreeOneAndTwoPliesDown) {
  for (int plies : {1, 2}) {
    Search search({}, SearchMode::Engine);
    CountingEvaluator evaluator;
    Game game = random_game({}, 10, 3);
    run(search, game, 2000, evaluator);
    const Action first = search.best_action();
    std::uint32_t expected = visits_of(search, first);
    game.play(first);
    if (plies == 2) {
      // The visits of the reply are not shown, but asking for one more tells.
      Search probe({}, SearchMode::Engine);
      game.undo();
      run(probe, game, 2000, evaluator);
      game.play(first);
      probe.begin(game, {.visits = 1}, 1);
      probe.run(evaluator);
      const Action reply = probe.best_action();
      expected = visits_of(probe, reply);
      game.play(reply);
    }
    ASSERT_GT(expected, 50U);
    evaluator.count = 0;
    run(search, game, 1, evaluator);
    EXPECT_EQ(search.visits(), expected);
    EXPECT_EQ(evaluator.count, 0);
    std::uint32_t sum = 1;
    for (const RootMove& move : search.root_moves()) sum += move.visits;
    EXPECT_EQ(sum, search.visits());

    run(search, game, expected + 500, evaluator);
    EXPECT_EQ(search.visits(), expected + 500);
    EXPECT_LE(evaluator.count, 500);
    EXPECT_GT(evaluator.count, 300);
  }
}

// The same position goes on being searched, and larger searches get more memory.
TEST(SearchReuse, ContinuesAndGrows) {
  Search search({}, SearchMode::Engine);
  Search fresh({}, SearchMode::Engine);
  IrregularEvaluator evaluator;
  const Game game = random_game({}, 10, 3);
  for (std::uint32_t visits : {10U, 100U, 5000U}) run(search, game, visits, evaluator);
  run(fresh, game, 5000, evaluator);
  ASSERT_EQ(search.visits(), fresh.visits());
  for (std::size_t i = 0; i < fresh.root_moves().size(); ++i) {
    EXPECT_EQ(search.root_moves()[i].visits, fresh.root_moves()[i].visits);
    EXPECT_EQ(search.root_moves()[i].value, fresh.root_moves()[i].value);
  }
}

TEST(SearchReuse, StartsAfreshWhereTheGameDiffers) {
  Search search({}, SearchMode::Engine);
  CountingEvaluator evaluator;
  Game game = random_game({}, 10, 3);
  run(search, game, 300, evaluator);

  // Another history that leads to the same position.
  const Game same_position = game_from_fen(format_fen(game));
  evaluator.count = 0;
  run(search, same_position, 1, evaluator);
  EXPECT_EQ(evaluator.count, 1);

  run(search, game, 300, evaluator);
  Rules other;
  other.repetition = Repetition::Off;
  evaluator.count = 0;
  run(search, random_game(other, 10, 3), 1, evaluator);
  EXPECT_EQ(evaluator.count, 1);

  run(search, game, 300, evaluator);
  game.undo();
  evaluator.count = 0;
  run(search, game, 1, evaluator);
  EXPECT_EQ(evaluator.count, 1);
}

TEST(SearchReuse, OtherModesForget) {
  for (SearchMode mode : {SearchMode::SelfPlay, SearchMode::Match}) {
    Search search({}, mode);
    IrregularEvaluator evaluator;
    Game game;
    run(search, game, 200, evaluator);
    game.play(search.best_action());
    run(search, game, 1, evaluator);
    EXPECT_EQ(search.visits(), 1U);
  }
}

// Whole games with a kept tree and a tight cap: nothing breaks, and every result is consistent.
TEST(SearchReuse, WholeGamesWithinTheCap) {
  for (RootPolicy policy : {RootPolicy::Puct, RootPolicy::Gumbel})
    for (std::uint32_t cap : {1U, 2U, 30U, 200U}) {
      SearchSettings settings = settings_for(policy);
      settings.max_nodes = cap;
      Search search(settings, SearchMode::Engine);
      IrregularEvaluator evaluator;
      Random random(cap);
      Game game;
      while (!game.over()) {
        run(search, game, 20 + random.below(200), evaluator);
        std::uint32_t sum = 1;
        for (const RootMove& move : search.root_moves()) sum += move.visits;
        ASSERT_EQ(sum, search.visits());
        game.play(search.sample_action(1, random));
      }
    }
}

}  // namespace
}  // namespace baghzero::search_test
