// The Gumbel root: schedule, completed Q and improved policy worked out by hand, and the search.
#include "engine/search/gumbel.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/search/node.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

using namespace search_detail;
using testing::ElementsAre;

std::vector<std::uint32_t> schedule(int actions, std::uint32_t simulations) {
  SequentialHalving halving;
  halving.begin(actions, simulations);
  std::vector<std::uint32_t> levels;
  for (std::uint32_t i = 0; i < simulations; ++i) {
    levels.push_back(halving.level());
    halving.count_visit();
  }
  return levels;
}

// 4 actions, 8 simulations: 2 phases of 4 simulations each, so 4 actions once and then 2 twice.
TEST(SearchGumbel, ScheduleOfFourActionsAndEightSimulations) {
  EXPECT_THAT(schedule(4, 8), ElementsAre(0, 0, 0, 0, 1, 1, 2, 2));
}

// 3 actions, 9 simulations: ceil(log2 3) = 2 phases of 4 simulations: 3 actions floor(9 / 6) = 1
// time, then 2 actions floor(9 / 4) = 2 times, and again until the simulations are spent.
TEST(SearchGumbel, ScheduleOfThreeActionsAndNineSimulations) {
  EXPECT_THAT(schedule(3, 9), ElementsAre(0, 0, 0, 1, 1, 2, 2, 3, 3));
}

// 16 actions, 50 simulations: 4 phases; 16 actions max(1, 50 / 64) = 1 time, 8 actions 50 / 32 = 1
// time, 4 actions 50 / 16 = 3 times, 2 actions 50 / 8 = 6 times, and the rest again with 2.
TEST(SearchGumbel, ScheduleOfSixteenActionsAndFiftySimulations) {
  std::vector<std::uint32_t> expected(16, 0);
  expected.insert(expected.end(), 8, 1);
  for (std::uint32_t level : {2U, 3U, 4U}) expected.insert(expected.end(), 4, level);
  for (std::uint32_t level = 5; level < 11; ++level) expected.insert(expected.end(), 2, level);
  expected.insert(expected.end(), 2, 11);
  EXPECT_EQ(schedule(16, 50), expected);
}

TEST(SearchGumbel, ScheduleOfOneActionAndOfTooFewSimulations) {
  EXPECT_THAT(schedule(1, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(schedule(16, 3), ElementsAre(0, 0, 0));
}

const std::vector<float> kPrior = {0.5F, 0.3F, 0.2F};
const std::vector<float> kVisits = {3, 1, 0};
const std::vector<float> kValue = {0.2F, -0.4F, 0};

// v_mix = (0.1 + 4 * (0.5 * 0.2 + 0.3 * -0.4) / (0.5 + 0.3)) / (1 + 4) = (0.1 - 0.1) / 5 = 0.
TEST(SearchGumbel, MixedValue) {
  EXPECT_NEAR(mixed_value(0.1F, kPrior, kVisits, kValue), 0, 1e-7);
  EXPECT_NEAR(mixed_value(0.6F, kPrior, kVisits, kValue), 0.1F, 1e-7);
  const std::vector<float> none = {0, 0, 0};
  EXPECT_EQ(mixed_value(0.6F, kPrior, none, kValue), 0.6F);
}

// sigma(q) = (2 + 3) * 0.5 * q = 2.5 q, so the completed values 0.2, -0.4 and v_mix = 0 weigh
// 0.5 e^0.5, 0.3 e^-1 and 0.2.
TEST(SearchGumbel, ImprovedPolicyOfCompletedValues) {
  EXPECT_FLOAT_EQ(sigma_factor(kVisits, 2, 0.5F), 2.5F);
  std::vector<float> policy(3);
  improved_policy(0.1F, 2, 0.5F, kPrior, kVisits, kValue, policy);
  const double sum = 0.5 * std::exp(0.5) + 0.3 * std::exp(-1.0) + 0.2;
  EXPECT_NEAR(policy[0], 0.5 * std::exp(0.5) / sum, 1e-6);
  EXPECT_NEAR(policy[1], 0.3 * std::exp(-1.0) / sum, 1e-6);
  EXPECT_NEAR(policy[2], 0.2 / sum, 1e-6);
}

// The policy above is 0.729, 0.098, 0.177 (rounded up); less 3/5, 1/5 and 0 leaves the third ahead.
TEST(SearchGumbel, InteriorSelectionFollowsTheMissingShare) {
  EXPECT_EQ(select_by_improved_policy(0.1F, 2, 0.5F, kPrior, kVisits, kValue), 2);
  const std::vector<float> more = {3, 1, 2};
  const std::vector<float> value = {0.2F, -0.4F, 0};
  EXPECT_EQ(select_by_improved_policy(0.1F, 2, 0.5F, kPrior, more, value), 0);
}

TEST(SearchGumbel, RefutedActionsAreLeftOut) {
  const std::vector<float> value = {kRefuted, -0.4F, 0};
  std::vector<float> policy(3);
  improved_policy(0.1F, 2, 0.5F, kPrior, kVisits, value, policy);
  EXPECT_EQ(policy[0], 0);
  EXPECT_NEAR(policy[1] + policy[2], 1, 1e-6);
  // v_mix = (0.1 + 1 * -0.4) / 2.
  EXPECT_NEAR(mixed_value(0.1F, kPrior, kVisits, value), -0.15F, 1e-7);
  EXPECT_NE(select_by_improved_policy(0.1F, 2, 0.5F, kPrior, kVisits, value), 0);
}

// Visits at the root are what the schedule says: 20 moves, 16 considered, 50 simulations.
TEST(SearchGumbel, RootVisitsFollowTheSchedule) {
  const Game game;
  ASSERT_EQ(game.legal().size(), 21);
  Search search(settings_for(RootPolicy::Gumbel), SearchMode::Match);
  IrregularEvaluator evaluator;
  search.begin(game, {.visits = 51}, 1);
  search.run(evaluator);
  std::vector<std::uint32_t> visits;
  for (const RootMove& move : search.root_moves()) visits.push_back(move.visits);
  std::ranges::sort(visits, std::greater<>{});
  // 2 finalists with 12; 2 more with 5, 4 with 2, 8 with 1 and 5 that were not considered.
  const std::vector<std::uint32_t> expected = {12, 12, 5, 5, 2, 2, 2, 2, 1, 1, 1,
                                               1,  1,  1, 1, 1, 0, 0, 0, 0, 0};
  EXPECT_EQ(visits, expected);
}

// Without noise the considered moves are those the policy likes best.
TEST(SearchGumbel, NoNoiseOutsideExploringSelfPlay) {
  const Game game;
  IrregularEvaluator evaluator;
  const auto considered = [&](SearchMode mode, bool explore, std::uint64_t seed) {
    Search search(settings_for(RootPolicy::Gumbel), mode);
    search.begin(game, {.visits = 17, .explore = explore}, seed);
    search.run(evaluator);
    std::vector<Action> actions;
    for (const RootMove& move : search.root_moves())
      if (move.visits > 0) actions.push_back(move.action);
    return actions;
  };
  const auto expected = considered(SearchMode::Match, true, 1);
  int different = 0;
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    EXPECT_EQ(considered(SearchMode::Match, true, seed), expected);
    EXPECT_EQ(considered(SearchMode::Engine, true, seed), expected);
    EXPECT_EQ(considered(SearchMode::SelfPlay, false, seed), expected);
    if (considered(SearchMode::SelfPlay, true, seed) != expected) ++different;
  }
  EXPECT_GE(different, 5);
}

// The played move is drawn from the policy when the search says nothing new (the Gumbel-max trick).
class PolicyOnlyEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const int count = queries[i].legal.size();
      const float rest = 0.5F / static_cast<float>(std::max(1, count - 1));
      std::fill_n(evaluations[i].policy.begin(), count, rest);
      evaluations[i].policy[0] = count > 1 ? 0.5F : 1.0F;
      evaluations[i].wdl = kDraw;
    }
  }
  int max_batch() const override { return 1; }
};

TEST(SearchGumbel, NoiseDrawsFromThePolicy) {
  const Game game;
  Search search(settings_for(RootPolicy::Gumbel), SearchMode::SelfPlay);
  PolicyOnlyEvaluator evaluator;
  constexpr int kDraws = 2000;
  int first = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    search.begin(game, {.visits = 2}, seed);
    search.run(evaluator);
    if (search.best_action() == game.legal()[0]) ++first;
  }
  EXPECT_NEAR(first / double{kDraws}, 0.5, 0.05);
  std::vector<float> target(search.root_moves().size());
  search.policy_target(target);
  EXPECT_NEAR(target[0], 0.5, 1e-5);
}

}  // namespace
}  // namespace baghzero::search_test
