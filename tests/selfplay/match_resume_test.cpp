// Games of a match that are known before they are all over: told of as they end, kept when the
// match is stopped, and not played again.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/random.h"
#include "selfplay/match.h"
#include "selfplay/match_worker.h"
#include "tests/selfplay/match_support.h"

namespace baghzero {
namespace {

using test::expect_same_games;
using test::greedy_player;
using test::play;
using test::Played;
using test::random_player;
using test::search_player;
using test::settings_with;

using Key = std::pair<int, bool>;  // pair, first_is_tiger
Key key_of(const MatchGame& game) { return {game.pair, game.first_is_tiger}; }

std::vector<Key> keys_of(std::span<const MatchGame> games) {
  std::vector<Key> keys;
  for (const MatchGame& game : games) keys.push_back(key_of(game));
  std::ranges::sort(keys);
  return keys;
}

// Plays at random, in the games of pair 0 only once `released`.
class Dawdler final : public Agent {
 public:
  Dawdler(std::uint64_t match_seed, const std::atomic<bool>& released)
      : match_seed_(match_seed), released_(released) {}
  std::string name() const override { return "dawdler"; }
  void interrupt_when(const std::function<bool()>& stopped) override { stopped_ = stopped; }
  void new_game(std::uint64_t seed) override {
    slow_ = seed == player_seed(match_seed_, 0, false, 0) ||
            seed == player_seed(match_seed_, 0, true, 0);
    agent_->new_game(seed);
  }
  Action choose(const Game& game) override {
    while (slow_ && !released_) {
      if (stopped_()) throw Interrupted();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return agent_->choose(game);
  }

 private:
  const std::uint64_t match_seed_;
  const std::atomic<bool>& released_;
  bool slow_ = false;
  std::function<bool()> stopped_;
  std::unique_ptr<Agent> agent_ = make_random_agent();
};

Player dawdler(std::uint64_t match_seed, const std::atomic<bool>& released) {
  Player player;
  player.name = "dawdler";
  player.make_agent = [match_seed, &released] {
    return std::make_unique<Dawdler>(match_seed, released);
  };
  return player;
}

// Three workers, two of which the first pair holds up.
MatchSettings three_workers() { return settings_with(3, 1); }

TEST(Match, TellsOfGamesAsTheyEndThoughAnEarlierPairGoesOn) {
  std::atomic<bool> released = false;
  MatchSettings settings = three_workers();
  std::vector<MatchGame> ended;
  const std::thread::id caller = std::this_thread::get_id();
  settings.on_games = [&](std::span<const MatchGame> games) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    ended.insert(ended.end(), games.begin(), games.end());
    if (ended.size() == 18) released = true;  // all but those of pair 0
  };
  const Played played = play(dawdler(settings.seed, released), greedy_player(), 10, settings);
  EXPECT_TRUE(played.complete);
  EXPECT_TRUE(std::ranges::none_of(std::span(ended).first(18),
                                   [](const MatchGame& game) { return game.pair == 0; }));
  EXPECT_EQ(keys_of(ended), keys_of(played.games)) << "each once";
  released = true;
  expect_same_games(play(dawdler(settings.seed, released), greedy_player(), 10, three_workers()),
                    played);
}

TEST(Match, AStopKeepsWhatHasEndedAndAResumePlaysTheRest) {
  std::atomic<bool> released = false;
  std::atomic<bool> stop = false;
  MatchSettings settings = three_workers();
  settings.stop = &stop;
  std::vector<MatchGame> ended;
  settings.on_games = [&](std::span<const MatchGame> games) {
    ended.insert(ended.end(), games.begin(), games.end());
    if (ended.size() >= 7) stop = true;
  };
  const Played stopped = play(dawdler(settings.seed, released), greedy_player(), 10, settings);
  EXPECT_FALSE(stopped.complete);
  EXPECT_TRUE(stopped.games.empty()) << "pair 0 was not over";
  EXPECT_GE(ended.size(), 7U);

  released = true;
  const Played whole = play(dawdler(settings.seed, released), greedy_player(), 10, three_workers());
  std::vector<MatchGame> played_now;
  MatchSettings rest = three_workers();
  rest.played = ended;
  rest.on_games = [&](std::span<const MatchGame> games) {
    played_now.insert(played_now.end(), games.begin(), games.end());
  };
  int games_now = 0;
  rest.on_progress = [&](const MatchProgress& now) { games_now = now.games; };
  expect_same_games(whole, play(dawdler(settings.seed, released), greedy_player(), 10, rest));
  EXPECT_EQ(played_now.size(), 20 - ended.size());
  EXPECT_EQ(games_now, static_cast<int>(played_now.size()));
  played_now.insert(played_now.end(), ended.begin(), ended.end());
  EXPECT_EQ(keys_of(played_now), keys_of(whole.games)) << "no game is played twice";
}

// Loses the games of pair 0 once the match is stopped, with the move it was then about to choose.
class LastMinuteLoser final : public Agent {
 public:
  explicit LastMinuteLoser(std::uint64_t match_seed) : match_seed_(match_seed) {}
  std::string name() const override { return "loser"; }
  void interrupt_when(const std::function<bool()>& stopped) override { stopped_ = stopped; }
  void new_game(std::uint64_t seed) override {
    slow_ = seed == player_seed(match_seed_, 0, false, 0) ||
            seed == player_seed(match_seed_, 0, true, 0);
    agent_->new_game(seed);
  }
  Action choose(const Game& game) override {
    if (!slow_) return agent_->choose(game);
    while (!stopped_()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Forfeit("it is too late");
  }

 private:
  const std::uint64_t match_seed_;
  bool slow_ = false;
  std::function<bool()> stopped_;
  std::unique_ptr<Agent> agent_ = make_random_agent();
};

TEST(Match, TellsOfGamesThatEndWhileItStops) {
  std::atomic<bool> stop = false;
  MatchSettings settings = three_workers();
  settings.stop = &stop;
  std::vector<MatchGame> ended;
  settings.on_games = [&](std::span<const MatchGame> games) {
    ended.insert(ended.end(), games.begin(), games.end());
    stop = true;
  };
  Player loser;
  loser.name = "loser";
  loser.make_agent = [&settings] { return std::make_unique<LastMinuteLoser>(settings.seed); };
  const Played stopped = play(loser, greedy_player(), 100, settings);
  EXPECT_FALSE(stopped.complete);
  EXPECT_TRUE(stopped.games.empty()) << "no pair is handed on any more";
  EXPECT_EQ(std::ranges::count(ended, 0, &MatchGame::pair), 2);
}

TEST(Match, PlaysExactlyTheGamesThatAreMissing) {
  const Player first = search_player(1, 4);
  const Played whole = play(first, random_player(), 8, settings_with(2, 4));
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<MatchGame> played;
    std::vector<MatchGame> missing;
    for (const MatchGame& game : whole.games)
      (random.below(3) == 0 ? missing : played).push_back(game);
    if (round == 0) played = whole.games, missing.clear();
    std::ranges::reverse(played);
    MatchSettings settings = settings_with(2, 4);
    settings.played = played;
    std::vector<MatchGame> ended;
    settings.on_games = [&](std::span<const MatchGame> games) {
      ended.insert(ended.end(), games.begin(), games.end());
    };
    const Played again = play(first, random_player(), 8, settings);
    EXPECT_TRUE(again.complete);
    expect_same_games(whole, again);
    EXPECT_EQ(keys_of(ended), keys_of(missing));
  }
}

// The first player's evaluator breaks down after a few batches.
class Breaking final : public ArbitraryEvaluator {
 public:
  Breaking() : ArbitraryEvaluator(1, 64) {}
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    if (++calls_ == 300) throw std::runtime_error("broken");
    ArbitraryEvaluator::evaluate(queries, evaluations);
  }

 private:
  int calls_ = 0;
};

TEST(Match, AFailureKeepsWhatHasEnded) {
  Player first = search_player(1, 4);
  const Played whole = play(first, random_player(), 30, settings_with(1, 4));
  first.make_evaluator = [] { return std::make_unique<Breaking>(); };
  MatchSettings settings = settings_with(1, 4);
  std::vector<MatchGame> ended;
  settings.on_games = [&](std::span<const MatchGame> games) {
    ended.insert(ended.end(), games.begin(), games.end());
  };
  EXPECT_THROW(play(first, random_player(), 30, settings), std::runtime_error);
  ASSERT_FALSE(ended.empty());
  const std::vector<MatchGame> before = std::exchange(ended, {});
  settings.played = before;
  expect_same_games(whole, play(search_player(1, 4), random_player(), 30, settings));
  EXPECT_EQ(ended.size(), 60 - before.size());
}

TEST(Match, RefusesPlayedGamesThatAreNotItsOwn) {
  const Played whole = play(random_player(), random_player(), 4, settings_with(1, 1));
  const auto refused = [&](const std::vector<MatchGame>& played, int first_pair = 0) {
    MatchSettings settings = settings_with(1, 1);
    settings.played = played;
    settings.first_pair = first_pair;
    EXPECT_THROW(play(random_player(), random_player(), 3, settings), std::invalid_argument);
  };
  refused({whole.games[0], whole.games[0]});
  refused({whole.games[6]});
  refused({whole.games[0]}, 1);
  MatchGame unfinished = whole.games[0];
  unfinished.game.undo();
  refused({unfinished});
}

}  // namespace
}  // namespace baghzero
