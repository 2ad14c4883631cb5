// Several leaves of one tree in flight at once.
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "engine/notation.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

constexpr std::uint32_t kVisits = 400;

Search begun(const Game& game, std::uint32_t visits = kVisits) {
  Search search({}, SearchMode::Engine);
  search.begin(game, {.visits = visits}, 1);
  return search;
}

// Keeps up to `count` leaves in the air and lands them in random order.
void fly(Search& search, int count, std::uint64_t seed) {
  Random random(seed);
  IrregularEvaluator evaluator;
  Evaluation evaluation;
  std::vector<int> aloft;
  std::vector<int> free(static_cast<std::size_t>(count));
  std::iota(free.begin(), free.end(), 0);
  for (;;) {
    SearchStatus status = SearchStatus::Waiting;
    while (!free.empty()) {
      status = search.advance(free.back());
      if (status != SearchStatus::NeedsEvaluation) break;
      ASSERT_EQ(search.advance(free.back()), SearchStatus::NeedsEvaluation);
      aloft.push_back(free.back());
      free.pop_back();
    }
    if (status == SearchStatus::Done) return;
    ASSERT_FALSE(aloft.empty()) << "the search waits for nothing";
    const auto landing = aloft.begin() + random.below(static_cast<unsigned>(aloft.size()));
    evaluator.evaluate({&search.leaf(*landing), 1}, {&evaluation, 1});
    search.supply(*landing, evaluation);
    free.push_back(*landing);
    aloft.erase(landing);
  }
}

Game some_game(std::uint64_t seed) {
  for (;; seed += 1000) {
    Game game = random_game({}, static_cast<int>(seed % 60), seed);
    if (!game.over() && game.legal().size() > 1) return game;
  }
}

TEST(SearchFlights, OneFlightIsTheSearchWithoutFlights) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Game game = some_game(seed);
    Search plain = begun(game);
    IrregularEvaluator evaluator;
    plain.run(evaluator);
    Search flying = begun(game);
    fly(flying, 1, seed);
    EXPECT_EQ(flying.best_action(), plain.best_action());
    ASSERT_EQ(flying.root_moves().size(), plain.root_moves().size());
    for (std::size_t i = 0; i < plain.root_moves().size(); ++i) {
      EXPECT_EQ(flying.root_moves()[i].visits, plain.root_moves()[i].visits) << format_fen(game);
      EXPECT_EQ(flying.root_moves()[i].value, plain.root_moves()[i].value) << format_fen(game);
    }
  }
}

TEST(SearchFlights, EveryLandingIsCountedOnce) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Search search = begun(some_game(seed));
    fly(search, 1 + static_cast<int>(seed % 8), seed);
    std::uint32_t sum = 1;
    for (const RootMove& move : search.root_moves()) {
      sum += move.visits;
      EXPECT_LE(std::abs(move.value), 1);
    }
    EXPECT_EQ(sum, search.visits());
    if (search.root_proof() == Proof::None)
      EXPECT_EQ(search.visits(), kVisits);
    else
      EXPECT_LE(search.visits(), kVisits);
  }
}

TEST(SearchFlights, ProofsAreTrueWhateverTheOrderOfLanding) {
  constexpr int kDepth = 3;
  int proven = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Rules rules;
    rules.max_plies = 38 + static_cast<int>(seed % 20);
    const Game game = random_game(rules, rules.max_plies - kDepth, seed);
    if (game.over() || game.legal().size() == 1) continue;
    Search search = begun(game, 60'000);
    fly(search, 6, seed);
    if (search.root_proof() != Proof::None) {
      ASSERT_EQ(search.root_proof(), minimax(game, kDepth).proof) << format_game(game);
    }
    for (const RootMove& move : search.root_moves()) {
      if (move.proof == Proof::None) continue;
      Game next = game;
      next.play(move.action);
      const Proof reply = minimax(next, kDepth - 1).proof;
      const Proof expected = reply == Proof::Win    ? Proof::Loss
                             : reply == Proof::Loss ? Proof::Win
                                                    : reply;
      ASSERT_EQ(move.proof, expected) << format_game(game);
      ++proven;
    }
  }
  EXPECT_GT(proven, 200);
}

TEST(SearchFlights, ResultsMayBeReadAndTheSearchDroppedInTheAir) {
  const Game game;
  Search search = begun(game);
  EXPECT_FALSE(search.update_results());
  ASSERT_EQ(search.advance(0), SearchStatus::NeedsEvaluation);
  EXPECT_EQ(search.advance(1), SearchStatus::Waiting) << "the root goes first";
  IrregularEvaluator evaluator;
  Evaluation evaluation;
  evaluator.evaluate({&search.leaf(0), 1}, {&evaluation, 1});
  search.supply(0, evaluation);
  for (int flight = 0; flight < 4; ++flight)
    ASSERT_EQ(search.advance(flight), SearchStatus::NeedsEvaluation);
  EXPECT_TRUE(search.update_results());
  EXPECT_EQ(search.visits(), 1U);
  for (const RootMove& move : search.root_moves()) EXPECT_EQ(move.visits, 0U);

  search.begin(game, {.visits = kVisits}, 1);
  fly(search, 3, 5);
  EXPECT_EQ(search.visits(), kVisits);
}

TEST(SearchFlights, LinesAreLegalAndBeginWithTheirMove) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Game game = some_game(seed);
    Search search = begun(game);
    fly(search, 2, seed);
    for (std::size_t i = 0; i < search.root_moves().size(); ++i) {
      const RootMove& move = search.root_moves()[i];
      const std::vector<Action> line = search.principal_variation(static_cast<int>(i));
      ASSERT_FALSE(line.empty());
      EXPECT_EQ(line.front(), move.action);
      Game walked = game;
      for (const Action action : line) ASSERT_NO_THROW(walked.play(action)) << format_game(walked);
      if (move.visits == 0) continue;
      EXPECT_NEAR(search.move_wdl(static_cast<int>(i)).value(), move.value, 1e-4);
    }
  }
}

TEST(SearchFlights, AreForEngineModeAndPuct) {
  Search match({}, SearchMode::Match);
  match.begin(Game(), {}, 1);
  EXPECT_THROW(match.advance(0), std::logic_error);
  Search gumbel(settings_for(RootPolicy::Gumbel), SearchMode::Engine);
  gumbel.begin(Game(), {}, 1);
  EXPECT_THROW(gumbel.advance(0), std::logic_error);
}

}  // namespace
}  // namespace baghzero::search_test
