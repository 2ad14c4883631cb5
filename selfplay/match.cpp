#include "selfplay/match.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/thread_count.h"
#include "selfplay/match_ledger.h"
#include "selfplay/match_worker.h"

namespace baghzero {
namespace {

void check_player(const Player& player) {
  const int kinds =
      (player.network ? 1 : 0) + (player.make_agent ? 1 : 0) + (player.make_evaluator ? 1 : 0);
  if (kinds != 1)
    throw std::invalid_argument("the player '" + player.name +
                                "' must have one of a network, an evaluator and an agent");
  if (player.most_games_per_worker < 1)
    throw std::invalid_argument("the player '" + player.name + "' may play no game");
  if (player.visits < 0 || player.opening_temperature_plies < 0 || !(player.temperature >= 0))
    throw std::invalid_argument("the player '" + player.name +
                                "' has negative visits, temperature or temperature plies");
}

void check_match(std::span<const Game> openings, const MatchSettings& settings) {
  if (settings.workers < 0 || settings.games_per_worker < 1 || settings.first_pair < 0)
    throw std::invalid_argument(
        "a match needs a number of workers (0: one per core), at least one game per worker and a "
        "first pair that is not negative");
  for (std::size_t i = 0; i < openings.size(); ++i)
    if (openings[i].over())
      throw std::invalid_argument("opening " + std::to_string(i) + " of the match is over already");
}

// Index of a game in the ledger. Throws unless it is a finished one of this match.
int index_of(const MatchGame& game, int pairs, const MatchSettings& settings) {
  const int pair = game.pair - settings.first_pair;
  if (pair < 0 || pair >= pairs || !game.game.over())
    throw std::invalid_argument("the game of pair " + std::to_string(game.pair) +
                                " that is said to be played is not finished or not of this match");
  return 2 * pair + (game.first_is_tiger ? 1 : 0);
}

// Finished games until the turn of their pair comes.
class PairOrder {
 public:
  PairOrder(int pairs, const MatchSettings& settings)
      : settings_(settings), games_(2 * static_cast<std::size_t>(pairs)) {
    for (const MatchGame& game : settings.played) {
      const int index = index_of(game, pairs, settings);
      if (slot(index))
        throw std::invalid_argument("a game of pair " + std::to_string(game.pair) +
                                    " is said to be played twice");
      slot(index) = game;
      played_.push_back(index);
    }
  }

  // Indices of settings.played.
  const std::vector<int>& played() const { return played_; }
  int pairs() const { return static_cast<int>(games_.size() / 2); }
  int pairs_taken() const { return pairs_taken_; }

  void put(std::vector<FinishedGame> finished) {
    std::vector<MatchGame> ended;
    ended.reserve(finished.size());
    for (FinishedGame& game : finished)
      ended.push_back({settings_.first_pair + game.index / 2, game.index % 2 != 0,
                       std::move(game.game), std::move(game.forfeit)});
    if (settings_.on_games && !ended.empty()) settings_.on_games(ended);
    for (MatchGame& game : ended) slot(index_of(game, pairs(), settings_)) = std::move(game);
  }

  // The next pair once both its games are there: first player as goat, as tiger.
  std::optional<std::pair<MatchGame, MatchGame>> take() {
    if (pairs_taken_ == pairs()) return std::nullopt;
    std::optional<MatchGame>& as_goat = slot(2 * pairs_taken_);
    std::optional<MatchGame>& as_tiger = slot(2 * pairs_taken_ + 1);
    if (!as_goat || !as_tiger) return std::nullopt;
    ++pairs_taken_;
    return std::pair(*std::exchange(as_goat, std::nullopt), *std::exchange(as_tiger, std::nullopt));
  }

 private:
  std::optional<MatchGame>& slot(int index) { return games_[static_cast<std::size_t>(index)]; }

  const MatchSettings& settings_;
  std::vector<std::optional<MatchGame>> games_;
  std::vector<int> played_;
  int pairs_taken_ = 0;
};

int divided_up(int count, int parts) { return parts == 0 ? 0 : (count + parts - 1) / parts; }

MatchPlan make_plan(const Player& first, const Player& second, std::span<const Game> openings,
                    const MatchSettings& settings, int games_per_worker) {
  MatchPlan plan;
  plan.players = {&first, &second};
  plan.openings = openings;
  plan.settings = &settings;
  if (first.network || second.network)
    plan.cache = settings.cache ? settings.cache : make_match_cache(settings.inference);
  // Agents play a game to its end in one go; side by side they would only keep memory.
  if (!first.make_agent || !second.make_agent)
    plan.slots = std::min({settings.games_per_worker, first.most_games_per_worker,
                           second.most_games_per_worker, games_per_worker});
  return plan;
}

// Runs the workers of a match; stops and joins them when it goes.
class WorkerThreads {
 public:
  WorkerThreads(const MatchPlan& plan, MatchLedger& ledger, int count) : ledger_(ledger) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([&plan, &ledger] {
        try {
          MatchWorker(plan, ledger).run();
        } catch (...) {
          ledger.fail(std::current_exception());
        }
        ledger.leave();
      });
  }
  ~WorkerThreads() { join(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  void join() {
    ledger_.stop();
    threads_.clear();
  }

 private:
  MatchLedger& ledger_;
  std::vector<std::jthread> threads_;
};

}  // namespace

void require_playable(const Player& player, std::span<const Game> openings) {
  if (!player.why_not_playable) return;
  const std::string why = player.why_not_playable(openings);
  if (!why.empty()) throw std::runtime_error(why);
}

std::shared_ptr<EvaluationCache> make_match_cache(const InferenceSettings& inference) {
  if (inference.cache_entries <= 0) return nullptr;
  return std::make_shared<EvaluationCache>(inference.cache_entries);
}

std::unique_ptr<Evaluator> make_evaluator_of(const Player& player,
                                             const InferenceSettings& inference,
                                             const WarningSink& on_warning) {
  if (player.make_evaluator) return player.make_evaluator();
  if (!player.network) return nullptr;
  std::string warning;
  auto evaluator = make_network_evaluator(player.network, inference, &warning);
  if (on_warning && !warning.empty()) on_warning(warning);
  return evaluator;
}

bool play_match(const Player& first, const Player& second, std::span<const Game> openings,
                const MatchSettings& settings,
                const std::function<bool(const MatchGame&, const MatchGame&)>& on_pair) {
  check_player(first);
  check_player(second);
  check_match(openings, settings);
  PairOrder order(static_cast<int>(openings.size()), settings);
  if (openings.empty()) return true;
  require_playable(first, openings);
  require_playable(second, openings);

  const int games = 2 * order.pairs() - static_cast<int>(order.played().size());
  const int workers = std::min(thread_count(settings.workers), games);
  const MatchPlan plan = make_plan(first, second, openings, settings, divided_up(games, workers));
  MatchLedger ledger(order.pairs(), order.played(), workers, settings.stop);
  const auto tell_progress = [&] {
    if (settings.on_progress) settings.on_progress(ledger.progress());
  };
  WorkerThreads threads(plan, ledger, workers);
  for (;;) {
    while (!ledger.stopped()) {
      const std::optional<std::pair<MatchGame, MatchGame>> pair = order.take();
      if (!pair) break;
      for (const MatchGame* game : {&pair->first, &pair->second})
        if (settings.on_warning && !game->forfeit.empty()) settings.on_warning(game->forfeit);
      const bool go_on = on_pair(pair->first, pair->second);
      tell_progress();
      if (!go_on) return order.pairs_taken() == order.pairs();
    }
    if (order.pairs_taken() == order.pairs()) return true;
    std::vector<FinishedGame> finished;
    if (!ledger.stopped()) finished = ledger.take_finished(tell_progress);
    if (finished.empty()) break;
    order.put(std::move(finished));
    tell_progress();
  }
  // Stopped, or a worker has failed. What has ended meanwhile is not lost.
  threads.join();
  order.put(ledger.take_finished(tell_progress));
  ledger.rethrow_failure();
  return false;
}

MatchReport measure_against(const Player& first, const Player& second, int pairs,
                            const MatchSettings& settings) {
  MatchTally tally(first.name, second.name);
  play_match(first, second, make_openings(settings.rules, pairs, settings.seed), settings,
             [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
               tally.add(as_goat, as_tiger);
               return true;
             });
  return tally.report();
}

}  // namespace baghzero
