#include "selfplay/match.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
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

int divided_up(int count, int parts) { return (count + parts - 1) / parts; }

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
  const int pairs = static_cast<int>(openings.size());
  if (pairs == 0) return true;
  require_playable(first, openings);
  require_playable(second, openings);

  const int workers = std::min(thread_count(settings.workers), 2 * pairs);
  MatchPlan plan;
  plan.players = {&first, &second};
  plan.openings = openings;
  plan.settings = &settings;
  if (first.network || second.network)
    plan.cache = settings.cache ? settings.cache : make_match_cache(settings.inference);
  // Agents play a game to its end in one go; side by side they would only keep memory.
  if (!first.make_agent || !second.make_agent)
    plan.slots = std::min({settings.games_per_worker, first.most_games_per_worker,
                           second.most_games_per_worker, divided_up(2 * pairs, workers)});

  MatchLedger ledger(pairs, workers, settings.stop);
  const auto tell_progress = [&] {
    if (settings.on_progress) settings.on_progress(ledger.progress());
  };
  WorkerThreads threads(plan, ledger, workers);
  for (int i = 0; i < pairs; ++i) {
    std::optional<std::pair<FinishedGame, FinishedGame>> games;
    if (!ledger.stopped()) games = ledger.take_pair(i, tell_progress);
    if (!games) {
      threads.join();
      ledger.rethrow_failure();
      return false;
    }
    const int pair = settings.first_pair + i;
    auto& [as_goat, as_tiger] = *games;
    for (const std::string* forfeit : {&as_goat.forfeit, &as_tiger.forfeit})
      if (settings.on_warning && !forfeit->empty()) settings.on_warning(*forfeit);
    const bool go_on = on_pair({pair, false, std::move(as_goat.game), std::move(as_goat.forfeit)},
                               {pair, true, std::move(as_tiger.game), std::move(as_tiger.forfeit)});
    tell_progress();
    if (!go_on) return i + 1 == pairs;
  }
  return true;
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
