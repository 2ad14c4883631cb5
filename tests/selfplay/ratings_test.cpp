#include "selfplay/ratings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

#include "engine/random.h"

namespace baghzero {
namespace {

// Players of known strength; player 0 is the anchor.
struct World {
  std::vector<double> goat{0, 150, -120, 320, 40, 500};
  std::vector<double> tiger{0, 60, 200, 350, -180, 420};
  double advantage = -150;
  double draw_weight = 0.6;
  int players() const { return static_cast<int>(goat.size()); }

  // Plays `games` games with player i as goat and j as tiger.
  RatedGames play(int i, int j, int games, Random& random) const {
    const double d =
        goat[static_cast<std::size_t>(i)] - tiger[static_cast<std::size_t>(j)] + advantage;
    const double win = std::pow(10, d / 800);
    const double loss = std::pow(10, -d / 800);
    RatedGames result{.goat = i, .tiger = j};
    for (int game = 0; game < games; ++game) {
      const double drawn = random.uniform() * (win + loss + draw_weight);
      ++(drawn < win ? result.goat_wins : drawn < win + loss ? result.tiger_wins : result.draws);
    }
    return result;
  }
  std::vector<RatedGames> round_robin(int games, Random& random) const {
    std::vector<RatedGames> all;
    for (int i = 0; i < players(); ++i)
      for (int j = 0; j < players(); ++j)
        if (i != j) all.push_back(play(i, j, games, random));
    return all;
  }
  double overall(std::size_t i) const { return (goat[i] + tiger[i]) / 2; }
};

TEST(Ratings, PlayersAreLinkedByGamesWhoeverWasGoat) {
  const std::vector<RatedGames> games = {{.goat = 3, .tiger = 1, .draws = 1},
                                         {.goat = 3, .tiger = 0, .goat_wins = 1},
                                         {.goat = 2, .tiger = 2, .tiger_wins = 1},
                                         {.goat = 2, .tiger = 0}};  // no game
  EXPECT_EQ(linked_players(5, games, 0), (std::vector{0, 1, 3}));
  EXPECT_EQ(linked_players(5, games, 1), (std::vector{0, 1, 3}));
  EXPECT_EQ(linked_players(5, games, 2), (std::vector{2}));
  EXPECT_EQ(linked_players(5, games, 4), (std::vector{4}));
}

TEST(Ratings, RecoverKnownRatings) {
  const World world;
  Random random(1);
  const RatingFit fit(world.players(), world.round_robin(20'000, random));
  for (std::size_t i = 0; i < world.goat.size(); ++i) {
    EXPECT_NEAR(fit.players()[i].as_goat.elo, world.goat[i], 12) << i;
    EXPECT_NEAR(fit.players()[i].as_tiger.elo, world.tiger[i], 12) << i;
    EXPECT_NEAR(fit.players()[i].overall.elo, world.overall(i), 9) << i;
    EXPECT_EQ(fit.players()[i].games, 2 * 5 * 20'000);
  }
  EXPECT_NEAR(fit.goat_advantage().elo, world.advantage, 12);
  EXPECT_NEAR(fit.draw_share(), 0.6 / 2.6, 0.005);
}

TEST(Ratings, IntervalsCoverTheTruthNineteenTimesInTwenty) {
  const World world;
  Random random(2);
  std::map<std::string, int> covered;
  constexpr int kLadders = 4000;
  for (int ladder = 0; ladder < kLadders; ++ladder) {
    const RatingFit fit(world.players(), world.round_robin(40, random));
    for (std::size_t i = 1; i < world.goat.size(); ++i) {
      const PlayerRating& player = fit.players()[i];
      const auto count = [&](const char* what, const Rating& rating, double truth) {
        covered[what] += std::abs(rating.elo - truth) <= rating.error ? 1 : 0;
      };
      count("overall", player.overall, world.overall(i));
      count("goat", player.as_goat, world.goat[i]);
      count("tiger", player.as_tiger, world.tiger[i]);
      const Rating difference{player.overall.elo - fit.players()[1].overall.elo,
                              fit.difference_error(static_cast<int>(i), 1)};
      if (i > 1) count("difference", difference, world.overall(i) - world.overall(1));
    }
  }
  for (const auto& [what, count] : covered) {
    const double share = count / (kLadders * (what == "difference" ? 4.0 : 5.0));
    EXPECT_GE(share, 0.94) << what;
    EXPECT_LE(share, 0.96) << what;
  }
}

TEST(Ratings, RolesAreRatedApart) {
  // Player 1 always wins as tiger and plays like the anchor as goat.
  const std::vector<RatedGames> games = {
      {.goat = 0, .tiger = 0, .goat_wins = 500, .draws = 0, .tiger_wins = 500},
      {.goat = 1, .tiger = 0, .goat_wins = 500, .draws = 0, .tiger_wins = 500},
      {.goat = 0, .tiger = 1, .goat_wins = 91, .draws = 0, .tiger_wins = 909}};
  const RatingFit fit(2, games);
  EXPECT_NEAR(fit.players()[1].as_goat.elo, 0, 5);
  EXPECT_NEAR(fit.players()[1].as_tiger.elo, 400, 10);
  EXPECT_NEAR(fit.players()[1].overall.elo, 200, 6);
  EXPECT_NEAR(fit.expected_score(0, 1), 0.091, 0.003);
  EXPECT_NEAR(fit.expected_pair_score(1, 0), (0.5 + 0.909) / 2, 0.003);
}

TEST(Ratings, ExtremeResultsStayFinite) {
  for (const RatedGames& only :
       {RatedGames{0, 1, 100, 0, 0}, RatedGames{0, 1, 0, 0, 100}, RatedGames{0, 1, 0, 100, 0},
        RatedGames{0, 1, 1'000'000, 0, 0}, RatedGames{0, 1, 0, 0, 0}}) {
    const RatingFit fit(3, std::vector{only}, {.anchor = 0, .anchor_rating = 100});
    for (const PlayerRating& player : fit.players()) {
      EXPECT_TRUE(std::isfinite(player.overall.elo));
      EXPECT_TRUE(std::isfinite(player.overall.error));
      EXPECT_LT(std::abs(player.as_tiger.elo), 6000);
    }
    EXPECT_NEAR(fit.players()[0].overall.elo, 100, 0.1);
    EXPECT_LT(fit.players()[0].overall.error, 0.1);
    EXPECT_NEAR(fit.players()[2].overall.elo, 100, 1) << "nothing is known of this player";
    EXPECT_GT(fit.players()[2].overall.error, 1500);
  }
}

TEST(Ratings, RefuseForeignPlayers) {
  EXPECT_THROW(RatingFit(2, std::vector{RatedGames{0, 2, 1, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(RatingFit(2, std::vector{RatedGames{0, 1, -1, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(RatingFit(2, {}, {.anchor = 2}), std::invalid_argument);
}

TEST(Pairings, GoWhereTheyInform) {
  // Players 1 and 2 are known well, 3 not at all; 4 is known and far too strong for the others.
  const World world{.goat = {0, 50, 100, 60, 1500}, .tiger = {0, 50, 100, 60, 1500}};
  Random random(3);
  std::vector<RatedGames> games;
  for (const auto& [i, j] : {std::pair(0, 1), {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}})
    games.push_back(world.play(i, j, 2000, random));
  for (const auto& [i, j] : {std::pair(1, 4), {4, 1}})
    games.push_back(world.play(i, j, 300, random));
  const RatingFit fit(5, games);
  const RatingFit::Pairing best = fit.best_pairing().value();
  EXPECT_EQ(best.second, 3) << "the unknown player is to be met";
  EXPECT_NE(best.first, 4);
  // A pairing a hundred times as dear is not worth it, and one that cannot be played even less.
  for (const double cost : {100.0, std::numeric_limits<double>::infinity()}) {
    std::vector<double> costs(25, 1.0);
    costs[static_cast<std::size_t>(best.first * 5 + best.second)] = cost;
    EXPECT_FALSE(fit.best_pairing(costs).value() == best);
  }
  const std::vector<double> none(25, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(fit.best_pairing(none).has_value());
  EXPECT_FALSE(RatingFit(1, {}).best_pairing().has_value());
}

TEST(Pairings, KnowMoreAfterFewerGamesThanARoundRobin) {
  const World world{.goat = {0, 100, 300, 600, 900, 1200}, .tiger = {0, 150, 250, 650, 900, 1150}};
  const auto spread = [&](const RatingFit& fit) {
    double sum = 0;
    for (const PlayerRating& player : fit.players())
      sum += player.as_goat.error * player.as_goat.error +
             player.as_tiger.error * player.as_tiger.error;
    return sum;
  };
  Random random(4);
  const RatingFit everyone(6, world.round_robin(20, random));  // 600 games
  std::vector<RatedGames> games;
  RatingFit chosen(6, games);
  for (int pair = 0; pair < 300; ++pair) {
    const auto [first, second] = chosen.best_pairing().value();
    games.push_back(world.play(first, second, 1, random));
    games.push_back(world.play(second, first, 1, random));
    chosen = RatingFit(6, games);
  }
  EXPECT_LT(spread(chosen), 0.8 * spread(everyone));
}

}  // namespace
}  // namespace baghzero
