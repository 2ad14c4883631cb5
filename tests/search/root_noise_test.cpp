#include "engine/search/root_noise.h"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "tests/search/support.h"

namespace baghzero::search_test {
namespace {

using namespace search_detail;

TEST(SearchNoise, GammaHasItsMeanAndVariance) {
  Random random(11);
  for (double shape : {0.05, 0.4, 1.0, 3.5}) {
    constexpr int kSamples = 200'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kSamples; ++i) {
      const double x = sample_gamma(shape, random);
      ASSERT_GE(x, 0);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kSamples;
    EXPECT_NEAR(mean, shape, 0.03 * std::max(shape, 0.3));
    EXPECT_NEAR(squares / kSamples - mean * mean, shape, 0.06 * std::max(shape, 0.3));
  }
}

TEST(SearchNoise, GumbelHasItsMeanAndVariance) {
  Random random(12);
  constexpr int kSamples = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double x = sample_gumbel(random);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kSamples;
  EXPECT_NEAR(mean, 0.5772, 0.01);
  EXPECT_NEAR(squares / kSamples - mean * mean, 1.6449, 0.03);
}

// Logs of 0.4, 0.4, 0.1, 0.1 lie log(2) above and below their mean, so the shaped half goes to the
// first two.
TEST(SearchNoise, AlphasAreHalfEvenHalfShaped) {
  const std::vector<float> prior = {0.4F, 0.4F, 0.1F, 0.1F};
  std::vector<float> alphas(4);
  shaped_alphas(prior, 8, alphas);
  EXPECT_FLOAT_EQ(alphas[0], 3);
  EXPECT_FLOAT_EQ(alphas[1], 3);
  EXPECT_FLOAT_EQ(alphas[2], 1);
  EXPECT_FLOAT_EQ(alphas[3], 1);
  const std::vector<float> even(5, 0.2F);
  alphas.resize(5);
  shaped_alphas(even, 10, alphas);
  for (float alpha : alphas) EXPECT_FLOAT_EQ(alpha, 2);
}

TEST(SearchNoise, NoiseKeepsTheSumAndItsMeanIsTheShape) {
  const std::vector<float> prior = {0.4F, 0.4F, 0.1F, 0.1F, 0};
  std::vector<float> alphas(prior.size());
  shaped_alphas(prior, 10, alphas);
  Random random(3);
  std::vector<double> mean(prior.size());
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<float> noisy = prior;
    add_dirichlet_noise(noisy, 0.25F, 10, random);
    EXPECT_NEAR(std::accumulate(noisy.begin(), noisy.end(), 0.0F), 1, 1e-5F);
    for (std::size_t i = 0; i < prior.size(); ++i) {
      ASSERT_GE(noisy[i], 0.75F * prior[i] - 1e-6F);
      mean[i] += double{noisy[i]} / kRounds;
    }
  }
  for (std::size_t i = 0; i < prior.size(); ++i)
    EXPECT_NEAR(mean[i], 0.75 * double{prior[i]} + 0.25 * double{alphas[i]} / 10, 0.003);
}

TEST(SearchNoise, FlatteningIsAPower) {
  std::vector<float> prior = {0.64F, 0.32F, 0.04F, 0};
  flatten_policy(prior, 2);
  const float sum = 0.8F + std::sqrt(0.32F) + 0.2F;
  EXPECT_NEAR(prior[0], 0.8F / sum, 1e-6);
  EXPECT_NEAR(prior[2], 0.2F / sum, 1e-6);
  EXPECT_EQ(prior[3], 0);
}

// The one test that matters most: only an exploring self-play search depends on its seed.
TEST(SearchNoise, OnlyExploringSelfPlayDependsOnTheSeed) {
  const Game game = random_game({}, 12, 4);
  IrregularEvaluator evaluator;
  const auto visits = [&](SearchMode mode, bool explore, std::uint64_t seed) {
    Search search({}, mode);
    search.begin(game, {.visits = 150, .explore = explore}, seed);
    search.run(evaluator);
    std::vector<std::uint32_t> counts;
    for (const RootMove& move : search.root_moves()) counts.push_back(move.visits);
    return counts;
  };
  const auto quiet = visits(SearchMode::Match, true, 1);
  int different = 0;
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    EXPECT_EQ(visits(SearchMode::Match, true, seed), quiet);
    EXPECT_EQ(visits(SearchMode::Match, false, seed), quiet);
    EXPECT_EQ(visits(SearchMode::Engine, true, seed), quiet);
    EXPECT_EQ(visits(SearchMode::SelfPlay, false, seed), quiet);
    EXPECT_EQ(visits(SearchMode::SelfPlay, true, seed), visits(SearchMode::SelfPlay, true, seed));
    if (visits(SearchMode::SelfPlay, true, seed) != quiet) ++different;
  }
  EXPECT_EQ(different, 7);
}

TEST(SearchNoise, RootMovesShowThePolicyWithoutNoise) {
  const Game game = random_game({}, 12, 4);
  Query query = make_query(game);
  Evaluation evaluation;
  IrregularEvaluator evaluator;
  evaluator.evaluate({&query, 1}, {&evaluation, 1});
  Search search({}, SearchMode::SelfPlay);
  search.begin(game, {.visits = 50}, 1);
  search.run(evaluator);
  for (std::size_t i = 0; i < search.root_moves().size(); ++i)
    EXPECT_EQ(search.root_moves()[i].prior, evaluation.policy[i]);
  EXPECT_EQ(search.root_evaluation(), evaluation.wdl);
}

}  // namespace
}  // namespace baghzero::search_test
