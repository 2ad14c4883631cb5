// Selection, forced playouts and target pruning against plain formulas.
#include "engine/search/puct.h"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "engine/random.h"
#include "engine/search/arena.h"
#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

using namespace search_detail;

TEST(SearchPuct, ExplorationGrowsAsStated) {
  SearchSettings settings;
  settings.cpuct = 1.5F;
  settings.cpuct_factor = 0.5F;
  settings.cpuct_base = 100;
  Exploration exploration(settings);
  // c(100) = 1.5 + 0.5 * log(200 / 100), times sqrt(100).
  const float expected = (1.5F + 0.5F * std::log(2.0F)) * 10;
  EXPECT_FLOAT_EQ(exploration(100), expected);
  exploration.prepare(800);
  EXPECT_FLOAT_EQ(exploration(100), expected);
  EXPECT_FLOAT_EQ(exploration(10'000'000), (1.5F + 0.5F * std::log(100'001.0F)) * std::sqrt(1e7F));
}

TEST(SearchPuct, FirstPlayUrgencyFallsWithTheVisitedPolicy) {
  Node node{.position = Position()};
  node.add({0.5F, 0.3F, 0.2F});
  node.add({0.3F, 0.3F, 0.4F});
  node.visited_prior = 0.25F;
  EXPECT_NEAR(first_play_urgency(node, 0.3F), 0.1F - 0.3F * 0.5F, 1e-6F);
}

// The scan in groups agrees with one edge after the other, ties included.
TEST(SearchPuct, SelectionIsTheFirstHighestScore) {
  Random random(5);
  Arena arena;
  for (int round = 0; round < 2000; ++round) {
    arena.reserve(1);
    Node& node = arena.node(arena.add_node(Position()));
    const int count = 1 + static_cast<int>(random.below(kMaxLegalActions));
    arena.add_edges(node, count);
    const Edges edges = arena.edges(node);
    for (int i = 0; i < count; ++i) {
      edges.prior[i] = static_cast<float>(random.below(4)) / 8;
      edges.visits[i] = static_cast<float>(random.below(4));
      edges.value[i] = edges.visits[i] > 0 ? static_cast<float>(random.below(5)) / 4 - 0.5F : 0;
      if (edges.visits[i] > 0 && random.below(6) == 0) edges.value[i] = kRefuted;
    }
    const float exploration = static_cast<float>(random.uniform()) * 3;
    const float first_play = static_cast<float>(random.uniform()) - 0.5F;
    int expected = 0;
    float highest = -std::numeric_limits<float>::infinity();
    for (int i = 0; i < count; ++i) {
      const float value = edges.visits[i] > 0 ? edges.value[i] : first_play;
      const float score = puct_score(value, edges.prior[i], edges.visits[i], exploration);
      if (score > highest) {
        highest = score;
        expected = i;
      }
    }
    ASSERT_EQ(select_puct(edges, exploration, first_play), expected);
  }
}

TEST(SearchPuct, ForcedPlayoutsVisitWhatIsOwed) {
  Arena arena;
  arena.reserve(1);
  Node& node = arena.node(arena.add_node(Position()));
  arena.add_edges(node, 4);
  const Edges edges = arena.edges(node);
  const std::array<float, 4> prior = {0.5F, 0.02F, 0.08F, 0.4F};
  const std::array<float, 4> visits = {80, 0, 3, 17};
  std::copy(prior.begin(), prior.end(), edges.prior);
  std::copy(visits.begin(), visits.end(), edges.visits);
  // sqrt(2 * 0.08 * 100) = 4 visits are owed to the third; the second has not been tried yet.
  EXPECT_EQ(select_forced(edges, 4, 2, 100), 2);
  edges.visits[2] = 4;
  EXPECT_EQ(select_forced(edges, 4, 2, 100), -1);
  edges.visits[2] = 3;
  edges.value[2] = kRefuted;
  EXPECT_EQ(select_forced(edges, 4, 2, 100), -1);
}

// With an evaluator whose opinion never changes, the whole search at one level can be redone by
// hand.
class OneMoveEvaluator final : public Evaluator {
 public:
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const int count = queries[i].legal.size();
      const float rest = 0.1F / static_cast<float>(std::max(1, count - 1));
      std::fill_n(evaluations[i].policy.begin(), count, rest);
      evaluations[i].policy[0] = count > 1 ? 0.9F : 1.0F;
      evaluations[i].wdl = {0.3F, 0.4F, 0.3F};
    }
  }
  int max_batch() const override { return 1; }
};

TEST(SearchPuct, PruningTakesBackForcedPlayouts) {
  SearchSettings settings;
  settings.noise_weight = 0;  // leaves the forced playouts as the only exploration
  settings.root_policy_temperature = 1;
  Search explored(settings, SearchMode::SelfPlay);
  Search plain(settings, SearchMode::SelfPlay);
  OneMoveEvaluator evaluator;
  const Game game;
  explored.begin(game, {.visits = 600, .explore = true}, 1);
  explored.run(evaluator);
  plain.begin(game, {.visits = 600, .explore = false}, 1);
  plain.run(evaluator);

  const auto count = explored.root_moves().size();
  std::vector<float> target(count);
  explored.policy_target(target);
  float raw_rest = 0;
  float kept_rest = 0;
  float plain_rest = 0;
  for (std::size_t i = 1; i < count; ++i) {
    const RootMove& move = explored.root_moves()[i];
    const float owed = std::sqrt(settings.forced_playouts * move.prior * 599);
    if (move.visits > 0) {
      EXPECT_GE(static_cast<float>(move.visits) + 1, owed);
    }
    raw_rest += static_cast<float>(move.visits) / 599;
    kept_rest += target[i];
    plain_rest += static_cast<float>(plain.root_moves()[i].visits) / 599;
  }
  EXPECT_GT(raw_rest, plain_rest);
  EXPECT_LT(kept_rest, raw_rest);
  EXPECT_NEAR(kept_rest, plain_rest, 0.03F);
  EXPECT_NEAR(std::accumulate(target.begin(), target.end(), 0.0F), 1, 1e-5F);
}

TEST(SearchPuct, SamplingFollowsVisitsAndTemperature) {
  Search search({}, SearchMode::Match);
  IrregularEvaluator evaluator;
  const Game game = random_game({}, 10, 3);
  search.begin(game, {.visits = 200}, 1);
  search.run(evaluator);
  ASSERT_EQ(search.root_proof(), Proof::None);
  Random random(2);
  EXPECT_EQ(search.sample_action(0, random), search.best_action());
  constexpr int kDraws = 20'000;
  std::array<int, kActionCount> hot{};
  std::array<int, kActionCount> cold{};
  for (int i = 0; i < kDraws; ++i) {
    ++hot[search.sample_action(1, random)];
    ++cold[search.sample_action(0.1F, random)];
  }
  for (const RootMove& move : search.root_moves()) {
    const double share = static_cast<double>(move.visits) / (search.visits() - 1);
    EXPECT_NEAR(hot[move.action] / double{kDraws}, share, 0.02);
  }
  EXPECT_GT(cold[search.best_action()], hot[search.best_action()]);
}

}  // namespace
}  // namespace baghzero::search_test
