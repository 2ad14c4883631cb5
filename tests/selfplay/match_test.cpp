#include "selfplay/match.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

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

// Plays at random and gives up at its `last`-th move.
class GivingUp final : public Agent {
 public:
  explicit GivingUp(int last) : last_(last) {}
  std::string name() const override { return "quitter"; }
  void new_game(std::uint64_t seed) override {
    left_ = last_;
    agent_->new_game(seed);
  }
  Action choose(const Game& game) override {
    if (--left_ == 0) throw Forfeit("it is tired");
    return agent_->choose(game);
  }

 private:
  const int last_;
  int left_ = 0;
  std::unique_ptr<Agent> agent_ = make_random_agent();
};

TEST(Match, WhoForfeitsLosesThatGame) {
  MatchSettings settings = settings_with(2, 1);
  std::vector<std::string> sentences;
  settings.on_warning = [&](const std::string& text) { sentences.push_back(text); };
  Player quitter;
  quitter.name = "quitter";
  std::atomic<int> made = 0;
  quitter.make_agent = [&] {
    ++made;
    return std::make_unique<GivingUp>(5);
  };
  const Played played = play(search_player(1, 4), quitter, 5, settings);
  EXPECT_LE(made, 2) << "one per worker";
  EXPECT_TRUE(played.complete);
  ASSERT_EQ(played.games.size(), 10U);
  for (const MatchGame& game : played.games) {
    EXPECT_EQ(game.game.termination(), Termination::Forfeit);
    EXPECT_EQ(game.game.outcome(), game.first_is_tiger ? Outcome::TigersWin : Outcome::GoatsWin);
    EXPECT_EQ(game.forfeit, std::string("the player 'quitter' forfeits a game as ") +
                                (game.first_is_tiger ? "goat" : "tiger") + ": it is tired");
  }
  ASSERT_EQ(sentences.size(), 10U);
  EXPECT_EQ(sentences[0], played.games[0].forfeit);
}

TEST(Match, PlaysEveryOpeningTwiceInOrder) {
  const MatchSettings settings = settings_with(2, 4);
  const std::vector<Game> openings = make_openings(settings.rules, 20, settings.seed);
  const Played played = play(random_player(), greedy_player(), 20, settings);
  EXPECT_TRUE(played.complete);
  ASSERT_EQ(played.games.size(), 40u);
  for (std::size_t i = 0; i < played.games.size(); ++i) {
    const MatchGame& game = played.games[i];
    EXPECT_EQ(game.pair, static_cast<int>(i / 2));
    EXPECT_EQ(game.first_is_tiger, i % 2 == 1);
    EXPECT_TRUE(game.game.over());
    const auto opening = openings[i / 2].moves();
    EXPECT_TRUE(std::ranges::equal(opening, game.game.moves().first(opening.size())));
  }
}

// Greedy tigers take whenever they can, greedy goats avoid it: who is who shows in the games.
TEST(Match, GivesEachPlayerItsRole) {
  int tiger_wins = 0;
  for (const MatchGame& game :
       play(greedy_player(), random_player(), 30, settings_with(2, 4)).games)
    tiger_wins += game.first_is_tiger && game.game.outcome() == Outcome::TigersWin ? 1 : 0;
  EXPECT_EQ(tiger_wins, 30);
  int captures_possible = 0;
  int captures_missed = 0;
  for (const MatchGame& match_game :
       play(random_player(), greedy_player(), 30, settings_with(2, 4)).games) {
    if (match_game.first_is_tiger) continue;
    Game game(match_game.game.rules());
    for (const Action action : match_game.game.moves()) {
      const bool possible =
          game.side_to_move() == Side::Tiger && capturable_goats(game.position()) != 0;
      captures_possible += possible ? 1 : 0;
      captures_missed += possible && !is_jump(action) ? 1 : 0;
      game.play(action);
    }
  }
  EXPECT_GT(captures_possible, 60);
  EXPECT_EQ(captures_missed, 0);
}

TEST(Match, GamesDoNotDependOnWorkersOrGamesSideBySide) {
  for (const int visits : {0, 8}) {
    const Player first = search_player(1, visits);
    const Player second = search_player(2, 8);
    const Played reference = play(first, second, 12, settings_with(1, 1));
    expect_same_games(reference, play(first, second, 12, settings_with(1, 5)));
    expect_same_games(reference, play(first, second, 12, settings_with(3, 64)));
  }
  const Played reference = play(random_player(), search_player(1, 4), 12, settings_with(1, 1));
  expect_same_games(reference, play(random_player(), search_player(1, 4), 12, settings_with(2, 7)));
}

TEST(Match, GamesDependOnTheSeed) {
  MatchSettings settings = settings_with(1, 4);
  const std::vector<Game> openings = make_openings(settings.rules, 4, 1);
  DistinctGames games;
  for (const std::uint64_t seed : {1, 2}) {
    settings.seed = seed;
    play_match(random_player(), random_player(), openings, settings,
               [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
                 games.add(as_goat.game);
                 games.add(as_tiger.game);
                 return true;
               });
  }
  EXPECT_EQ(games.size(), 16);
}

TEST(Match, EveryPlayerOfEveryGameHasItsOwnSeed) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t match_seed : {1, 2})
    for (int pair = 0; pair < 50; ++pair)
      for (const bool first_is_tiger : {false, true})
        for (const int player : {0, 1})
          seeds.insert(player_seed(match_seed, pair, first_is_tiger, player));
  EXPECT_EQ(seeds.size(), 2u * 50 * 2 * 2);
}

// The first of equally probable moves without temperature, any of them with it.
TEST(Match, TemperatureHoldsForTheFirstPliesAfterTheOpening) {
  Player first;
  first.name = "uniform";
  first.visits = 0;
  first.temperature = 1;
  first.opening_temperature_plies = 6;
  first.make_evaluator = [] { return std::make_unique<UniformEvaluator>(); };
  MatchSettings settings = settings_with(2, 8);
  const std::vector<Game> openings = make_openings(settings.rules, 20, settings.seed);
  int early_moves = 0;
  int early_first_moves = 0;
  for (const MatchGame& match_game : play(first, random_player(), 20, settings).games) {
    const int opening_plies = openings[static_cast<std::size_t>(match_game.pair)].plies();
    Game game(match_game.game.rules());
    for (const Action action : match_game.game.moves()) {
      const bool is_first = (game.side_to_move() == Side::Tiger) == match_game.first_is_tiger;
      const int ply = game.plies() - opening_plies;
      if (is_first && ply >= 0 && game.legal().size() > 1) {
        if (ply < 6) {
          ++early_moves;
          early_first_moves += action == game.legal()[0] ? 1 : 0;
        } else {
          EXPECT_EQ(action, game.legal()[0]);
        }
      }
      game.play(action);
    }
  }
  EXPECT_GT(early_moves, 100);
  EXPECT_LT(early_first_moves, early_moves / 3);
}

TEST(Match, NetworksPlayEachOtherAndThemselves) {
  NetworkSettings small;
  small.blocks = 1;
  small.channels = 8;
  Player first;
  first.name = "one";
  first.visits = 4;
  first.network = make_random_network(small, 1);
  Player second = first;
  second.name = "other";
  second.visits = 0;
  MatchSettings settings = settings_with(1, 4);
  settings.inference.device = "cpu";
  settings.inference.cache_entries = 1 << 10;
  const std::uint64_t rows_before = network_rows_evaluated();
  const Played against_itself = play(first, second, 3, settings);
  EXPECT_GT(network_rows_evaluated(), rows_before);
  EXPECT_EQ(against_itself.games.size(), 6u);
  expect_same_games(against_itself, play(first, second, 3, settings));
  second.network = make_random_network(small, 2);
  const Played against_another = play(first, second, 3, settings);
  EXPECT_EQ(against_another.games.size(), 6u);
  settings.inference.device = "no such device";
  EXPECT_THROW(play(first, second, 3, settings), std::exception);
}

TEST(Match, AnInterruptedMatchGoesOnAsIfNothingHadHappened) {
  const Player first = search_player(1, 4);
  const Player second = random_player();
  const Played whole = play(first, second, 10, settings_with(2, 4));
  Played parts = play(first, second, 10, settings_with(2, 4), 3);
  EXPECT_FALSE(parts.complete);
  ASSERT_EQ(parts.games.size(), 6u);
  MatchSettings rest = settings_with(1, 3);
  rest.first_pair = 3;
  const Played remaining = play(first, second, 7, rest);
  parts.games.insert(parts.games.end(), remaining.games.begin(), remaining.games.end());
  expect_same_games(whole, parts);
}

TEST(Match, CallsBackInTheCallingThread) {
  const std::vector<Game> openings = make_openings({}, 5, 1);
  const std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  play_match(random_player(), random_player(), openings, settings_with(2, 4),
             [&](const MatchGame&, const MatchGame&) {
               EXPECT_EQ(std::this_thread::get_id(), caller);
               ++calls;
               return true;
             });
  EXPECT_EQ(calls, 5);
}

TEST(Match, StopsOnRequest) {
  std::atomic<bool> stop{false};
  MatchSettings settings = settings_with(2, 8);
  settings.stop = &stop;
  const std::vector<Game> openings = make_openings(settings.rules, 500, settings.seed);
  int pairs = 0;
  const bool complete = play_match(search_player(1, 8), search_player(2, 8), openings, settings,
                                   [&](const MatchGame&, const MatchGame&) {
                                     if (++pairs == 2) stop = true;
                                     return true;
                                   });
  EXPECT_FALSE(complete);
  EXPECT_EQ(pairs, 2);
  EXPECT_FALSE(play_match(random_player(), random_player(), openings, settings,
                          [](const MatchGame&, const MatchGame&) { return true; }))
      << "a match that is stopped before it begins plays nothing";
}

class FailingEvaluator final : public ArbitraryEvaluator {
 public:
  FailingEvaluator() : ArbitraryEvaluator(1, 64) {}
  void evaluate(std::span<const Query> queries, std::span<Evaluation> evaluations) override {
    if (++calls_ == 20) throw std::runtime_error("row 3 is not finite");
    ArbitraryEvaluator::evaluate(queries, evaluations);
  }

 private:
  int calls_ = 0;
};

class CheatingAgent final : public Agent {
 public:
  std::string name() const override { return "cheat"; }
  void new_game(std::uint64_t) override {}
  Action choose(const Game&) override { return kActionCount - 1; }
};

TEST(Match, ReportsWhatWentWrong) {
  const auto error_of = [](const Player& first, const Player& second) -> std::string {
    try {
      play(first, second, 10, settings_with(2, 4));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  Player failing = search_player(1, 8);
  failing.make_evaluator = [] { return std::make_unique<FailingEvaluator>(); };
  EXPECT_EQ(error_of(failing, search_player(2, 8)), "row 3 is not finite");
  EXPECT_EQ(error_of(random_player(), failing), "row 3 is not finite");

  failing.make_evaluator = []() -> std::unique_ptr<Evaluator> {
    throw std::runtime_error("no such device");
  };
  EXPECT_EQ(error_of(failing, search_player(2, 8)), "no such device");

  Player cheat;
  cheat.name = "cheat";
  cheat.make_agent = [] { return std::make_unique<CheatingAgent>(); };
  EXPECT_NE(error_of(cheat, random_player()).find("'cheat' chose an illegal move"),
            std::string::npos);

  EXPECT_THROW(
      play_match(
          random_player(), random_player(), make_openings({}, 50, 1), settings_with(2, 4),
          [](const MatchGame&, const MatchGame&) -> bool { throw std::domain_error("disk full"); }),
      std::domain_error);
}

TEST(Match, RefusesSettingsWithoutSense) {
  const std::vector<Game> openings = make_openings({}, 2, 1);
  const auto try_match = [&](const Player& first, const MatchSettings& settings) {
    play_match(first, random_player(), openings, settings,
               [](const MatchGame&, const MatchGame&) { return true; });
  };
  EXPECT_THROW(try_match({}, {}), std::invalid_argument);
  Player both = random_player();
  both.make_evaluator = [] { return std::make_unique<UniformEvaluator>(); };
  EXPECT_THROW(try_match(both, {}), std::invalid_argument);
  Player negative = search_player(1, -1);
  EXPECT_THROW(try_match(negative, {}), std::invalid_argument);
  EXPECT_THROW(try_match(random_player(), settings_with(-1, 4)), std::invalid_argument);
  EXPECT_THROW(try_match(random_player(), settings_with(1, 0)), std::invalid_argument);
  Game over = openings[0];
  over.adjudicate(Outcome::Draw);
  EXPECT_THROW(play_match(random_player(), random_player(), std::vector{over}, {},
                          [](const MatchGame&, const MatchGame&) { return true; }),
               std::invalid_argument);
  EXPECT_TRUE(play_match(random_player(), random_player(), {}, {},
                         [](const MatchGame&, const MatchGame&) { return false; }))
      << "no openings, nothing to play";
}

TEST(Match, MeasuresOnePlayerAgainstAnother) {
  MatchSettings settings = settings_with(2, 4);
  std::vector<MatchProgress> progress;
  settings.on_progress = [&](const MatchProgress& now) { progress.push_back(now); };
  const MatchReport report = measure_against(greedy_player(), random_player(), 40, settings);
  ASSERT_GE(progress.size(), 40U) << "once a pair at least";
  EXPECT_TRUE(std::ranges::is_sorted(progress, {}, &MatchProgress::games));
  EXPECT_TRUE(std::ranges::is_sorted(progress, {}, &MatchProgress::plies));
  EXPECT_EQ(progress.back().games, 80);
  const std::vector<Game> openings = make_openings(settings.rules, 40, settings.seed);
  double plies = report.average_plies * report.games();
  for (const Game& opening : openings) plies -= 2.0 * opening.plies();
  EXPECT_NEAR(static_cast<double>(progress.back().plies), plies, 0.5);
  EXPECT_EQ(report.pairs, 40);
  EXPECT_EQ(report.first, "greedy");
  EXPECT_EQ(report.as_goat.games(), 40);
  EXPECT_EQ(report.as_tiger.games(), 40);
  EXPECT_GT(report.as_tiger.score(), 0.95);
  EXPECT_EQ(report.distinct_games, 80);
  const MatchReport reversed =
      measure_against(random_player(), greedy_player(), 40, settings_with(2, 4));
  EXPECT_LT(reversed.as_goat.score(), 0.05);
}

// Worker threads come and go, pairs finish out of order, the match is stopped at random moments.
TEST(Match, SurvivesManyShortMatches) {
  Random random(9);
  for (int round = 0; round < 60; ++round) {
    MatchSettings settings =
        settings_with(1 + static_cast<int>(random.below(4)), 1 + static_cast<int>(random.below(4)));
    settings.rules.max_plies = 12;
    const int pairs = 1 + static_cast<int>(random.below(12));
    const int stop_after = 1 + static_cast<int>(random.below(12));
    const Player first = random.below(2) == 0 ? random_player() : search_player(1, 3);
    const Player second = random.below(2) == 0 ? greedy_player() : search_player(2, 2);
    const Played played = play(first, second, pairs, settings, stop_after);
    EXPECT_EQ(played.games.size(), static_cast<std::size_t>(2 * std::min(pairs, stop_after)));
    EXPECT_EQ(played.complete, pairs <= stop_after);
  }
}

}  // namespace
}  // namespace baghzero
