#include "selfplay/statistics.h"

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "engine/random.h"
#include "tests/selfplay/pair_distributions.h"

namespace baghzero {
namespace {

using namespace test;

TEST(Statistics, ScoreCountsDrawsAsHalf) {
  EXPECT_EQ(score_of({}), 0.5);
  EXPECT_EQ(score_of({0, 0, 7, 0, 0}), 0.5);
  EXPECT_EQ(score_of({0, 0, 0, 0, 3}), 1.0);
  EXPECT_EQ(score_of({3, 0, 0, 0, 0}), 0.0);
  EXPECT_DOUBLE_EQ(score_of({1, 1, 0, 2, 0}), (0 + 0.25 + 1.5) / 4);
  EXPECT_EQ(pair_total({1, 2, 3, 4, 5}), 15);
}

TEST(Statistics, EloIsLogistic) {
  EXPECT_DOUBLE_EQ(elo_from_score(0.5), 0);
  EXPECT_NEAR(elo_from_score(0.75), 190.848501, 1e-5);
  EXPECT_NEAR(score_from_elo(400), 10.0 / 11, 1e-12);
  EXPECT_NEAR(score_from_elo(elo_from_score(0.123)), 0.123, 1e-12);
  EXPECT_EQ(elo_from_score(1), INFINITY);
  EXPECT_EQ(elo_from_score(0), -INFINITY);
}

TEST(Statistics, EloIntervalComesFromThePairVariance) {
  // 128 pairs with mean 0.4375 and variance 0.05762.
  const EloEstimate estimate = estimate_elo({13, 37, 50, 25, 3});
  EXPECT_NEAR(estimate.elo, -43.6578, 1e-3);
  const double margin = 1.96 * std::sqrt(0.05762 / 128);
  EXPECT_NEAR(estimate.lower, elo_from_score(0.4375 - margin), 2);
  EXPECT_NEAR(estimate.upper, elo_from_score(0.4375 + margin), 2);
  // Twins that split every opening say more than games that are independent.
  const EloEstimate split = estimate_elo({0, 0, 100, 0, 0});
  const EloEstimate independent = estimate_elo({25, 0, 50, 0, 25});
  EXPECT_LT(split.upper, independent.upper / 3);
}

TEST(Statistics, EloEstimateStaysFiniteAtTheExtremes) {
  for (const PairCounts& counts :
       {PairCounts{}, PairCounts{0, 0, 0, 0, 1}, PairCounts{0, 0, 0, 0, 100},
        PairCounts{100, 0, 0, 0, 0}, PairCounts{0, 0, 100, 0, 0}}) {
    const EloEstimate estimate = estimate_elo(counts);
    EXPECT_TRUE(std::isfinite(estimate.elo));
    EXPECT_TRUE(std::isfinite(estimate.lower));
    EXPECT_TRUE(std::isfinite(estimate.upper));
    EXPECT_LE(estimate.lower, estimate.elo);
    EXPECT_GE(estimate.upper, estimate.elo);
    EXPECT_LT(estimate.lower, estimate.upper);
  }
  EXPECT_EQ(estimate_elo({}).elo, 0);
  EXPECT_LT(estimate_elo({}).lower, -200);
  EXPECT_GT(estimate_elo({0, 0, 0, 0, 100}).lower, 400);
  EXPECT_LT(estimate_elo({0, 0, 0, 0, 1}).lower, 0) << "one pair proves nothing";
}

TEST(Statistics, EloIntervalsCoverTheTruthNineteenTimesInTwenty) {
  constexpr int kMatches = 20'000;
  for (const Distribution& base : {kDrawish, kMixed, kDecisive, kSkewed})
    for (const double elo : {0.0, 40.0, 150.0}) {
      const Distribution distribution = tilted(base, elo);
      Random random(17);
      int covered = 0;
      for (int match = 0; match < kMatches; ++match) {
        PairCounts counts{};
        for (int pair = 0; pair < 100; ++pair) ++counts[draw_bin(distribution, random)];
        const EloEstimate estimate = estimate_elo(counts);
        covered += estimate.lower <= elo && elo <= estimate.upper ? 1 : 0;
      }
      EXPECT_GE(covered, 0.94 * kMatches) << "elo " << elo << ", base " << base[2];
      EXPECT_LE(covered, 0.96 * kMatches) << "elo " << elo << ", base " << base[2];
    }
}

TEST(Sprt, LlrAgreesWithAPublishedTest) {
  // A finished Fishtest-style test publishes -0.53772 as its exact logistic LLR for these counts;
  // its hypotheses are printed as 0 and 2.716 Elo.
  EXPECT_NEAR(sprt_llr({13, 37, 50, 25, 3}, 0, 2.716), -0.53772, 3e-4);
}

TEST(Sprt, LlrOfWinsOnlyIsThatOfTheBestMatchingHypotheses) {
  // With nothing but wins, the likeliest distribution of mean s gives the wins the share s.
  const double expected = 50 * std::log(score_from_elo(35) / score_from_elo(0));
  EXPECT_NEAR(sprt_llr({0, 0, 0, 0, 50}, 0, 35), expected, 0.02);
}

TEST(Sprt, LlrTurnsItsSignWithTheTable) {
  const PairCounts counts = {4, 9, 30, 17, 11};
  const PairCounts reversed = {11, 17, 30, 9, 4};
  EXPECT_NEAR(sprt_llr(counts, 0, 35), -sprt_llr(reversed, -35, 0), 1e-9);
  EXPECT_NEAR(sprt_llr(counts, 5, 35), -sprt_llr(counts, 35, 5), 1e-9);
  EXPECT_NEAR(sprt_llr({0, 0, 40, 0, 0}, -20, 20), 0, 1e-9);
}

TEST(Sprt, BoundsAreWalds) {
  const SprtState state = sprt({}, {.elo0 = 0, .elo1 = 35, .alpha = 0.05, .beta = 0.10});
  EXPECT_EQ(state.llr, 0);
  EXPECT_NEAR(state.lower, std::log(0.10 / 0.95), 1e-12);
  EXPECT_NEAR(state.upper, std::log(0.90 / 0.05), 1e-12);
  EXPECT_EQ(state.decision, SprtDecision::Continue);
}

TEST(Sprt, ExtremeResultsDecideInFiniteTime) {
  const SprtSettings settings;
  const auto pairs_until_decision = [&](std::size_t bin, SprtDecision wanted) {
    PairCounts counts{};
    for (int pairs = 1; pairs <= 1000; ++pairs) {
      ++counts[bin];
      const SprtState state = sprt(counts, settings);
      EXPECT_TRUE(std::isfinite(state.llr));
      if (state.decision == SprtDecision::Continue) continue;
      EXPECT_EQ(state.decision, wanted);
      return pairs;
    }
    return 0;
  };
  EXPECT_EQ(pairs_until_decision(4, SprtDecision::AcceptH1), 31);
  EXPECT_EQ(pairs_until_decision(0, SprtDecision::AcceptH0), 28);
  EXPECT_EQ(pairs_until_decision(2, SprtDecision::AcceptH0), 28);
  for (const PairCounts& huge : {PairCounts{1'000'000, 0, 0, 0, 0}, PairCounts{0, 0, 1'000'000},
                                 PairCounts{0, 0, 0, 0, 1'000'000}})
    EXPECT_TRUE(std::isfinite(sprt(huge, settings).llr));
}

TEST(Sprt, RefusesSettingsWithoutSense) {
  EXPECT_THROW(check_sprt({.elo0 = 10, .elo1 = 10}), std::invalid_argument);
  EXPECT_THROW(check_sprt({.elo0 = 10, .elo1 = 0}), std::invalid_argument);
  EXPECT_THROW(check_sprt({.elo0 = 0, .elo1 = 2000}), std::invalid_argument);
  EXPECT_THROW(check_sprt({.elo0 = NAN}), std::invalid_argument);
  EXPECT_THROW(check_sprt({.alpha = 0}), std::invalid_argument);
  EXPECT_THROW(check_sprt({.beta = 0.5}), std::invalid_argument);
  EXPECT_NO_THROW(check_sprt({}));
}

// Share of matches in which `decision` is reached when the truth is `elo`.
double decided_share(const Distribution& base, double elo, const SprtSettings& settings,
                     SprtDecision decision, int matches) {
  const Distribution distribution = tilted(base, elo);
  Random random(23);
  int decided = 0;
  for (int match = 0; match < matches; ++match) {
    PairCounts counts{};
    SprtState state;
    while (state.decision == SprtDecision::Continue) {
      ++counts[draw_bin(distribution, random)];
      state = sprt(counts, settings);
    }
    decided += state.decision == decision ? 1 : 0;
  }
  return static_cast<double>(decided) / matches;
}

TEST(Sprt, ErrorRatesStayWithinAlphaAndBeta) {
  constexpr int kMatches = 4000;
  const SprtSettings settings{.elo0 = 0, .elo1 = 35, .alpha = 0.05, .beta = 0.10};
  // A rate observed in so many matches strays from the true one by its sampling error.
  const auto largest = [](double rate) { return rate + 2 * std::sqrt(rate / kMatches); };
  for (const Distribution& base : {kDrawish, kMixed, kDecisive, kSkewed}) {
    EXPECT_LE(decided_share(base, settings.elo0, settings, SprtDecision::AcceptH1, kMatches),
              largest(settings.alpha))
        << "base " << base[2];
    EXPECT_LE(decided_share(base, settings.elo1, settings, SprtDecision::AcceptH0, kMatches),
              largest(settings.beta))
        << "base " << base[2];
  }
}

TEST(Sprt, StrongerThanElo1IsAcceptedMoreOften) {
  const SprtSettings settings;
  EXPECT_GE(decided_share(kMixed, 70, settings, SprtDecision::AcceptH1, 1000), 0.99);
  EXPECT_LE(decided_share(kMixed, -35, settings, SprtDecision::AcceptH1, 1000), 0.01);
}

}  // namespace
}  // namespace baghzero
