// No allocation after the first search.
#include <vector>

#include <gtest/gtest.h>

#include "tests/search/support.h"
#include "tests/support/allocation_count.h"

namespace baghzero::search_test {
namespace {

// Allocations of the searches of a whole game, those of the Game itself left out.
std::int64_t allocations_of_a_game(Search& search, Evaluator& evaluator, const Rules& rules,
                                   std::uint32_t visits, std::uint64_t seed) {
  Random random(seed);
  Game game(rules);
  std::vector<float> target(kMaxLegalActions);
  std::int64_t counted_allocations = 0;
  while (!game.over()) {
    const std::int64_t before = allocation_count();
    search.begin(game, {.visits = visits, .explore = game.plies() % 2 == 0}, random());
    search.run(evaluator);
    search.policy_target(std::span(target).first(search.root_moves().size()));
    const Action action = search.sample_action(1, random);
    counted_allocations += allocation_count() - before;
    game.play(action);
  }
  return counted_allocations;
}

TEST(SearchAllocation, NothingAfterTheFirstSearch) {
  for (Repetition repetition : {Repetition::Forbidden, Repetition::Threefold, Repetition::Off})
    for (RootPolicy policy : {RootPolicy::Puct, RootPolicy::Gumbel})
      for (SearchMode mode : {SearchMode::SelfPlay, SearchMode::Match, SearchMode::Engine}) {
        Rules rules = rules_with(repetition);
        rules.max_plies = 250;
        Search search(settings_for(policy), mode);
        UniformEvaluator evaluator;
        EXPECT_GT(allocations_of_a_game(search, evaluator, rules, 100, 1), 0);
        for (std::uint64_t seed = 2; seed < 6; ++seed)
          EXPECT_EQ(allocations_of_a_game(search, evaluator, rules, 100, seed), 0);
      }
}

// The first begin() of a search in SelfPlay or Match mode is all the warm-up there is.
TEST(SearchAllocation, OneBeginWarmsUp) {
  for (SearchMode mode : {SearchMode::SelfPlay, SearchMode::Match}) {
    Search search({}, mode);
    UniformEvaluator evaluator;
    search.begin(Game(), {.visits = 200}, 1);
    for (std::uint64_t seed = 1; seed < 4; ++seed)
      EXPECT_EQ(allocations_of_a_game(search, evaluator, {}, 200, seed), 0);
  }
}

// A cap of a million nodes costs nothing until somebody asks for them.
TEST(SearchAllocation, MemoryFollowsTheVisitsAskedFor) {
  SearchSettings settings;
  settings.max_nodes = 1U << 30;
  std::vector<Search> searches;
  searches.reserve(256);
  for (int i = 0; i < 256; ++i) searches.emplace_back(settings, SearchMode::SelfPlay);
  UniformEvaluator evaluator;
  for (Search& search : searches) {
    search.begin(Game(), {.visits = 200}, 1);
    search.run(evaluator);
    EXPECT_EQ(search.visits(), 200U);
  }
}

}  // namespace
}  // namespace baghzero::search_test
