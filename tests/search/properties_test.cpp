// What holds for every search, tried on random games under all rule settings.
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "engine/search/benchmark.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

struct Snapshot {
  std::vector<std::uint32_t> visits;
  std::vector<float> values;
  std::vector<float> target;
  Action best = 0;
  Wdl wdl;
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

Snapshot snapshot(const Search& search) {
  Snapshot result;
  for (const RootMove& move : search.root_moves()) {
    result.visits.push_back(move.visits);
    result.values.push_back(move.value);
  }
  result.target.resize(search.root_moves().size());
  search.policy_target(result.target);
  result.best = search.best_action();
  result.wdl = search.root_wdl();
  return result;
}

void check_invariants(const Search& search, const Game& game, std::uint32_t limit) {
  const auto moves = search.root_moves();
  ASSERT_EQ(static_cast<int>(moves.size()), game.legal().size());
  std::uint32_t visits = 1;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    ASSERT_EQ(moves[i].action, game.legal()[static_cast<int>(i)]);
    ASSERT_GE(moves[i].value, -1.0001F);
    ASSERT_LE(moves[i].value, 1.0001F);
    visits += moves[i].visits;
  }
  ASSERT_EQ(visits, search.visits());
  ASSERT_LE(search.visits(), limit);
  if (search.root_proof() == Proof::None && moves.size() > 1) {
    ASSERT_EQ(search.visits(), limit);
  }

  const Wdl wdl = search.root_wdl();
  ASSERT_NEAR(wdl.win + wdl.draw + wdl.loss, 1, 1e-4);
  ASSERT_GE(std::min({wdl.win, wdl.draw, wdl.loss}), -1e-5F);

  std::vector<float> target(moves.size());
  search.policy_target(target);
  ASSERT_NEAR(std::accumulate(target.begin(), target.end(), 0.0F), 1, 1e-4);
  bool all_lost = true;
  bool some_won = false;
  for (const RootMove& move : moves) {
    all_lost = all_lost && move.proof == Proof::Loss;
    some_won = some_won || move.proof == Proof::Win;
  }
  ASSERT_EQ(all_lost, search.root_proof() == Proof::Loss);
  ASSERT_EQ(some_won, search.root_proof() == Proof::Win);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    ASSERT_GE(target[i], 0);
    if (moves[i].proof == Proof::Loss && !all_lost) {
      ASSERT_EQ(target[i], 0);
      ASSERT_NE(search.best_action(), moves[i].action);
    }
  }
}

using Setting = std::tuple<Repetition, RootPolicy, SearchMode>;
class SearchProperties : public testing::TestWithParam<Setting> {
 protected:
  Rules rules() const { return rules_with(std::get<0>(GetParam())); }
  SearchSettings settings() const { return settings_for(std::get<1>(GetParam())); }
  SearchMode mode() const { return std::get<2>(GetParam()); }
};

TEST_P(SearchProperties, WholeGames) {
  IrregularEvaluator irregular;
  UniformEvaluator uniform;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rules varied = rules();
    varied.no_capture_limit = seed % 3 == 0 ? 10 : 60;
    varied.max_plies = seed % 3 == 1 ? 45 : 200;
    varied.goats = seed % 4 == 3 ? 6 : 20;
    varied.captures_to_win = seed % 4 == 3 ? 2 : 5;
    Random random(seed);
    Search search(settings(), mode());
    Game game(varied);
    while (!game.over()) {
      const std::uint32_t visits = 1 + random.below(60);
      search.begin(game, {.visits = visits, .explore = seed % 2 == 0}, random());
      search.run(seed % 2 ? static_cast<Evaluator&>(irregular) : uniform);
      // A kept tree may bring more visits than are asked for.
      check_invariants(search, game,
                       mode() == SearchMode::Engine ? std::max(visits, search.visits()) : visits);
      if (HasFatalFailure()) return;
      ASSERT_TRUE(game.legal().contains(search.best_action()));
      game.play(search.sample_action(1, random));
    }
  }
}

TEST_P(SearchProperties, EqualSeedsGiveEqualSearchesAndReuseOfTheObjectDoesNotMatter) {
  IrregularEvaluator evaluator;
  Search used(settings(), mode());
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Game game = random_game(rules(), 8 * static_cast<int>(seed), seed);
    if (game.over()) continue;
    Search fresh(settings(), mode());
    for (Search* search : {&used, &fresh}) {
      search->begin(game, {.visits = 120}, seed);
      search->run(evaluator);
    }
    EXPECT_EQ(snapshot(used), snapshot(fresh));
  }
}

TEST_P(SearchProperties, SteppingSeveralSearchesAtOnceEqualsRunningEach) {
  IrregularEvaluator evaluator;
  constexpr int kSlots = 6;
  std::vector<Search> slots;
  std::vector<Game> games;
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
    slots.emplace_back(settings(), mode());
    games.push_back(random_game(rules(), 6 * static_cast<int>(slot), slot + 1));
    ASSERT_FALSE(games.back().over());
    slots.back().begin(games.back(), {.visits = 90}, slot);
  }
  for (bool active = true; active;) {
    active = false;
    std::vector<Query> batch;
    std::vector<Search*> waiting;
    for (Search& slot : slots)
      if (slot.advance() == SearchStatus::NeedsEvaluation) {
        ASSERT_EQ(slot.advance(), SearchStatus::NeedsEvaluation);
        batch.push_back(slot.leaf());
        waiting.push_back(&slot);
        active = true;
      }
    std::vector<Evaluation> answers(batch.size());
    evaluator.evaluate(batch, answers);
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i]->supply(answers[i]);
  }
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
    Search alone(settings(), mode());
    alone.begin(games[slot], {.visits = 90}, slot);
    alone.run(evaluator);
    EXPECT_EQ(snapshot(alone), snapshot(slots[slot]));
  }
}

// Queries are those that Game itself would make after the same moves: checked by the evaluator
// against every game reachable within a few plies.
class CheckingEvaluator final : public Evaluator {
 public:
  explicit CheckingEvaluator(const Game& root) : root_(root) {}
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    inner_.evaluate(queries, evaluations);
    for (const Query& query : queries) {
      bool found = false;
      for (int depth = 0; depth <= kDepth && !found; ++depth)
        found = reachable(root_, query, depth);
      EXPECT_TRUE(found);
      ++checked;
    }
  }
  int max_batch() const override { return 1; }
  int checked = 0;
  static constexpr int kDepth = 6;

 private:
  bool reachable(const Game& game, const Query& query, int depth) const {
    if (depth == 0) {
      if (game.over() || game.position() != query.position) return false;
      const Query expected = make_query(game);
      return make_key(expected) == make_key(query) &&
             std::ranges::equal(expected.legal.span(), query.legal.span());
    }
    for (Action action : game.legal()) {
      Game next = game;
      next.play(action);
      if (reachable(next, query, depth - 1)) return true;
    }
    return false;
  }
  Game root_;
  IrregularEvaluator inner_;
};

TEST_P(SearchProperties, LeavesAreWhatGameSays) {
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    Rules near = rules();
    near.no_capture_limit = 20;
    near.max_plies = 60;
    const Game game = random_game(near, 36 + 3 * static_cast<int>(seed), seed);
    if (game.over()) continue;
    CheckingEvaluator evaluator(game);
    Search search(settings(), mode());
    // Few enough visits to stay within the depth that is looked at.
    search.begin(game, {.visits = 20}, seed);
    search.run(evaluator);
    EXPECT_GT(evaluator.checked, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, SearchProperties,
    testing::Combine(testing::Values(Repetition::Forbidden, Repetition::Threefold, Repetition::Off),
                     testing::Values(RootPolicy::Puct, RootPolicy::Gumbel),
                     testing::Values(SearchMode::SelfPlay, SearchMode::Match, SearchMode::Engine)));

// A mirrored game is searched like the game itself.
TEST(SearchSymmetry, ImagesOfAPositionGetImagesOfTheResult) {
  IrregularEvaluator evaluator;
  for (RootPolicy policy : {RootPolicy::Puct, RootPolicy::Gumbel})
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      const Game game = random_game({}, 40, seed);
      if (game.over()) continue;
      Search search(settings_for(policy), SearchMode::Match);
      search.begin(game, {.visits = 200}, 1);
      search.run(evaluator);
      for (int symmetry = 1; symmetry < kSymmetryCount; ++symmetry) {
        Game image(game.rules());
        for (Action action : game.moves()) image.play(apply_symmetry_to_action(symmetry, action));
        Search mirrored(settings_for(policy), SearchMode::Match);
        mirrored.begin(image, {.visits = 200}, 1);
        mirrored.run(evaluator);
        for (const RootMove& move : search.root_moves()) {
          const int index = image.legal().index_of(apply_symmetry_to_action(symmetry, move.action));
          ASSERT_GE(index, 0);
          const RootMove& other = mirrored.root_moves()[static_cast<std::size_t>(index)];
          EXPECT_EQ(other.prior, move.prior);
          // Ties and rounding may send a few visits elsewhere.
          EXPECT_NEAR(other.visits, move.visits, 10);
        }
      }
    }
}

TEST(SearchLimits, CapOfNodesEndsASearchEarly) {
  SearchSettings settings;
  IrregularEvaluator evaluator;
  for (std::uint32_t cap : {1U, 2U, 3U, 50U}) {
    settings.max_nodes = cap;
    Search search(settings, SearchMode::SelfPlay);
    const Game game;
    search.begin(game, {.visits = 1000}, 1);
    search.run(evaluator);
    EXPECT_EQ(search.visits(), cap);
    EXPECT_TRUE(game.legal().contains(search.best_action()));
    std::vector<float> target(search.root_moves().size());
    search.policy_target(target);
    EXPECT_NEAR(std::accumulate(target.begin(), target.end(), 0.0F), 1, 1e-5F);
  }
}

TEST(SearchLimits, FinishedGamesAndSenselessSettingsAreRefused) {
  const Game over = random_game({}, 1000, 1);
  ASSERT_TRUE(over.over());
  Search search({}, SearchMode::Match);
  EXPECT_THROW(search.begin(over, {}, 1), std::invalid_argument);
  SearchSettings settings;
  settings.cpuct_base = 0;
  try {
    check_search_settings(settings);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("search.cpuct_base"), std::string::npos);
  }
  settings = {};
  settings.gumbel_actions = 0;
  EXPECT_THROW(Search(settings, SearchMode::Match), std::invalid_argument);
  settings = {};
  settings.fpu_reduction = std::nanf("");
  EXPECT_THROW(check_search_settings(settings), std::invalid_argument);
}

TEST(SearchBench, CountsWhatItDoesAndSignsIt) {
  const SearchBenchmark first = run_search_benchmark(2, 50, 7);
  const SearchBenchmark again = run_search_benchmark(2, 50, 7);
  const SearchBenchmark other = run_search_benchmark(2, 50, 8);
  EXPECT_EQ(first.signature, again.signature);
  EXPECT_EQ(first.simulations, again.simulations);
  EXPECT_NE(first.signature, other.signature);
  EXPECT_GT(first.moves, 20U);
  EXPECT_LE(first.simulations, first.moves * 50);
}

TEST(SearchStop, EndsWithWhatHasBeenDone) {
  const Game game;
  UniformEvaluator evaluator;
  for (const RootPolicy policy : {RootPolicy::Puct, RootPolicy::Gumbel})
    for (const std::uint32_t done : {1U, 7U, 100U}) {
      Search search(settings_for(policy), SearchMode::Match);
      search.begin(game, {.visits = 1000}, 1);
      Evaluation evaluation;
      while (search.advance() == SearchStatus::NeedsEvaluation) {
        evaluator.evaluate({&search.leaf(), 1}, {&evaluation, 1});
        search.supply(evaluation);
        if (search.visits() == done) search.stop();
      }
      EXPECT_EQ(search.visits(), done);
      EXPECT_TRUE(game.legal().contains(search.best_action()));
    }
}

}  // namespace
}  // namespace baghzero::search_test
