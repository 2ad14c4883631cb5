#include "selfplay/ladder.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/agents/alphabeta.h"

namespace baghzero {
namespace {

Player agent_player(const char* name, std::function<std::unique_ptr<Agent>()> make) {
  Player player;
  player.name = name;
  player.make_agent = std::move(make);
  return player;
}
std::vector<Player> baselines() {
  return {agent_player("random", make_random_agent), agent_player("greedy", make_greedy_agent),
          agent_player("alphabeta:1", [] { return make_alphabeta_agent({.depth = 1}); })};
}

std::int64_t game_count(const ResultTable& results) {
  std::int64_t count = 0;
  for (const RatedGames& games : results.all()) count += games.games();
  return count;
}

TEST(ResultTable, CountsBothRolesAlike) {
  ResultTable table(3);
  table.add(0, 1, Outcome::GoatsWin);
  table.add(0, 1, Outcome::Draw);
  table.add(1, 0, Outcome::TigersWin);
  EXPECT_EQ(table.games(0, 1), 3);
  EXPECT_EQ(table.games(1, 0), 3);
  EXPECT_DOUBLE_EQ(table.score(0, 1), (0.75 + 1) / 2);
  EXPECT_DOUBLE_EQ(table.score(1, 0), 1 - table.score(0, 1));
  EXPECT_EQ(table.score(0, 2), 0.5);
  table.add({.goat = 2, .tiger = 0, .goat_wins = 4, .draws = 2, .tiger_wins = 1});
  EXPECT_EQ(table.between(2, 0).games(), 7);
  EXPECT_EQ(table.all().size(), 3U);
  EXPECT_GT(table.score_error(0, 2), 0);
  EXPECT_THROW(table.add(0, 3, Outcome::Draw), std::invalid_argument);
  EXPECT_THROW(table.add(0, 1, Outcome::Unfinished), std::invalid_argument);
}

ResultTable circle(std::int64_t wins, std::int64_t losses) {
  ResultTable table(4);
  for (const auto& [winner, loser] : {std::pair(0, 2), {2, 1}, {1, 0}, {0, 3}, {1, 3}}) {
    table.add({.goat = winner, .tiger = loser, .goat_wins = wins, .tiger_wins = losses});
    table.add({.goat = loser, .tiger = winner, .goat_wins = losses, .tiger_wins = wins});
  }
  return table;
}

TEST(Intransitivity, IsFoundAndWeighed) {
  const auto triples = intransitive_triples(circle(70, 30));
  ASSERT_EQ(triples.size(), 1U);
  EXPECT_EQ(triples[0].a, 0);
  EXPECT_EQ(triples[0].b, 2);
  EXPECT_EQ(triples[0].c, 1);
  EXPECT_NEAR(triples[0].certainty, 0.2 / std::sqrt(0.7 * 0.3 / 200), 0.2);
  EXPECT_TRUE(intransitive_triples(circle(51, 49)).empty()) << "that may be chance";
  EXPECT_TRUE(intransitive_triples(ResultTable(4)).empty());

  // One scale cannot tell a circle, and the pairings show it.
  const ResultTable table = circle(70, 30);
  const RatingFit fit(4, table.all());
  const auto wrong = misfits(table, fit);
  ASSERT_EQ(wrong.size(), 3U);
  EXPECT_GE(std::abs(wrong[0].deviation), std::abs(wrong[2].deviation));
  EXPECT_TRUE(misfits(circle(50, 50), RatingFit(4, circle(50, 50).all())).empty());
}

TEST(Ladder, OrdersPlayersOfPlainlyDifferentStrength) {
  const std::vector<Player> players = baselines();
  ResultTable results(3);
  LadderSettings settings;
  settings.pairs = 60;
  settings.match.workers = 2;
  std::int64_t last = 0;
  const RatingFit fit =
      play_ladder(players, results, settings, [&](const LadderProgress& progress) {
        std::int64_t games = 0;
        for (const RatedGames& counts : progress.games) games += counts.games();
        EXPECT_EQ(games, 2 * (progress.pairs - last));
        EXPECT_GT(games, 0);
        last = progress.pairs;
      });
  EXPECT_EQ(last, 60);
  EXPECT_EQ(game_count(results), 120);
  EXPECT_NEAR(fit.players()[0].overall.elo, 0, 0.1);
  EXPECT_GT(fit.players()[1].overall.elo, 100);
  EXPECT_GT(fit.players()[2].overall.elo, fit.players()[1].overall.elo);
}

TEST(Ladder, GoesOnFromEarlierResultsLikeOneThatWasNotInterrupted) {
  const std::vector<Player> players = baselines();
  const auto play = [&](ResultTable& results, std::int64_t pairs) {
    LadderSettings settings;
    settings.pairs = pairs;
    play_ladder(players, results, settings);
  };
  ResultTable whole(3);
  play(whole, 24);
  ResultTable parts(3);
  play(parts, 8);
  play(parts, 16);
  for (int goat = 0; goat < 3; ++goat)
    for (int tiger = 0; tiger < 3; ++tiger)
      EXPECT_EQ(parts.between(goat, tiger).goat_wins, whole.between(goat, tiger).goat_wins);
}

// Notes the positions in which it is first to choose.
class NotingAgent final : public Agent {
 public:
  explicit NotingAgent(std::multiset<std::uint64_t>& begun) : begun_(begun) {}
  std::string name() const override { return "noting"; }
  void new_game(std::uint64_t seed) override {
    random_ = Random(seed);
    fresh_ = true;
  }
  Action choose(const Game& game) override {
    if (fresh_) begun_.insert(game.position().key());
    fresh_ = false;
    const auto count = static_cast<std::uint32_t>(game.legal().size());
    return game.legal()[static_cast<int>(random_.below(count))];
  }

 private:
  std::multiset<std::uint64_t>& begun_;
  Random random_{0};
  bool fresh_ = true;
};

TEST(Ladder, PlaysOnFromTheOpeningsOfUnratedGames) {
  std::multiset<std::uint64_t> begun;
  const std::vector<Player> players = {
      agent_player("noting", [&begun] { return std::make_unique<NotingAgent>(begun); }),
      agent_player("random", make_random_agent)};
  using ByPairing = std::map<std::pair<int, int>, std::multiset<std::uint64_t>>;
  const auto play = [&](ResultTable& results, const ResultTable* unrated) {
    LadderSettings settings;
    settings.match.workers = 1;
    settings.pairs = 40;
    settings.unrated = unrated;
    ByPairing positions;
    play_ladder(players, results, settings, [&](const LadderProgress& progress) {
      const RatedGames& games = progress.games.front();
      positions[std::minmax(games.goat, games.tiger)].merge(begun);
    });
    return positions;
  };
  ResultTable first(2);
  const ByPairing positions = play(first, nullptr);
  ResultTable again(2);
  EXPECT_EQ(play(again, nullptr), positions) << "the same games";
  ResultTable fresh(2);
  const ByPairing others = play(fresh, &first);
  EXPECT_EQ(game_count(fresh), 80);
  int repeated = 0;
  std::size_t all = 0;
  for (const auto& [pairing, of_pairing] : others) {
    all += of_pairing.size();
    for (const std::uint64_t key : of_pairing)
      repeated += positions.contains(pairing) && positions.at(pairing).contains(key) ? 1 : 0;
  }
  EXPECT_GT(all, 40U);
  EXPECT_LE(repeated, 2) << "an opening and a move may make another opening";
}

TEST(Ladder, EndsWhereOpeningsDo) {
  const std::vector<Player> players = {agent_player("random", make_random_agent),
                                       agent_player("greedy", make_greedy_agent)};
  LadderSettings settings;
  settings.match.rules.max_plies = kMinOpeningPlies + 1;
  settings.pairs = 1'000'000;
  OpeningSupply supply(settings.match.rules, settings.match.seed);
  const auto openings = static_cast<std::int64_t>(supply.take(0, 100'000).size());
  ResultTable results(2);
  std::int64_t pairs = 0;
  play_ladder(players, results, settings,
              [&](const LadderProgress& progress) { pairs = progress.pairs; });
  EXPECT_EQ(pairs, 3 * openings) << "each of the three pairings has played every opening";
  EXPECT_EQ(results.games(0, 1), 2 * openings);
}

TEST(Ladder, StopsWhenAskedOrOutOfTime) {
  const std::vector<Player> players = baselines();
  std::atomic<bool> stop{false};
  LadderSettings settings;
  settings.match.stop = &stop;
  settings.pairs = 1'000'000;
  ResultTable results(3);
  play_ladder(players, results, settings,
              [&](const LadderProgress& progress) { stop = progress.pairs >= 8; });
  EXPECT_EQ(game_count(results), 16);

  settings.match.stop = nullptr;
  settings.pairs = 0;
  settings.time = std::chrono::seconds(1);
  ResultTable timed(3);
  play_ladder(players, timed, settings);
  EXPECT_FALSE(timed.all().empty());
}

TEST(Ladder, RefusesWhatMakesNoSense) {
  const std::vector<Player> players = baselines();
  LadderSettings settings;
  ResultTable results(3);
  EXPECT_THROW(play_ladder(players, results, settings), std::invalid_argument) << "no limit";
  settings.pairs = 1;
  ResultTable other(2);
  EXPECT_THROW(play_ladder(players, other, settings), std::invalid_argument);
  settings.unrated = &other;
  EXPECT_THROW(play_ladder(players, results, settings), std::invalid_argument);
  settings.unrated = nullptr;
  EXPECT_THROW(play_ladder({}, results, settings), std::invalid_argument);
}

}  // namespace
}  // namespace baghzero
