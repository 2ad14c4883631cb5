#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

#include "engine/text.h"
#include "nn/model_file.h"
#include "selfplay/game_file.h"
#include "training/evaluation_label.h"
#include "training/run_phases.h"
#include "training/timed_stop.h"

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

// In the database: the last generation whose evaluation is over.
constexpr const char* kEvaluatedKey = "evaluated";
// Matches of a few games fill no larger cache.
constexpr std::int64_t kMostCacheEntries = 1 << 16;

Player network_player(const RunContext& run, NetworkPtr network, int generation) {
  const int visits = run.config.evaluation.visits;
  return measured_player(
      run.config, std::move(network),
      network_player_name(run.folder.root / RunFolder::model_name(generation), visits), visits);
}

// Fixed opponents and the earlier generations whose model files are still there.
std::vector<EvaluationRun::Opponent> opponents_of(const RunContext& run, int generation) {
  std::vector<EvaluationRun::Opponent> opponents;
  for (const Player& player : run.opponents) {
    const bool known = std::ranges::any_of(opponents, [&](const EvaluationRun::Opponent& other) {
      return other.player.name == player.name;
    });
    if (!known) opponents.push_back({player.name, player});
  }
  int distance = 1;
  for (int i = 0; i < run.config.evaluation.generations && distance <= generation;
       ++i, distance *= 2) {
    const auto file = run.folder.root / RunFolder::model_name(generation - distance);
    if (std::filesystem::exists(file))
      opponents.push_back({evaluation_label(distance),
                           network_player(run, load_network(file), generation - distance)});
  }
  return opponents;
}

std::vector<std::string> names_of(const EvaluationRun& evaluation) {
  std::vector<std::string> names = {evaluation.subject.name};
  for (const EvaluationRun::Opponent& opponent : evaluation.opponents)
    names.push_back(opponent.player.name);
  return names;
}

// The games of a match between the players 0 and `opponent`.
std::array<RatedGames, 2> rated_games(const MatchReport& report, int opponent) {
  const RoleTally& as_goat = report.as_goat;
  const RoleTally& as_tiger = report.as_tiger;
  return {{{0, opponent, as_goat.wins, as_goat.draws, as_goat.losses},
           {opponent, 0, as_tiger.losses, as_tiger.draws, as_tiger.wins}}};
}

// The rating of `player` from all games of the ladder, `anchor` having 0. Nothing unless games link
// the two: a rating would be one by the prior alone.
std::optional<PlayerRating> rating_of(const std::string& player, const std::string& anchor,
                                      const NamedGames& all) {
  const auto index_in = [](const auto& names, const auto& name) {
    return static_cast<int>(std::ranges::find(names, name) - names.begin());
  };
  const int subject = index_in(all.players, player);
  const int zero = index_in(all.players, anchor);
  const auto players = static_cast<int>(all.players.size());
  if (subject == players || zero == players) return std::nullopt;
  const std::vector<int> linked = linked_players(players, all.games, zero);
  if (!std::ranges::binary_search(linked, subject)) return std::nullopt;
  std::vector<RatedGames> games;
  for (RatedGames counts : all.games) {
    if (!std::ranges::binary_search(linked, counts.goat)) continue;
    counts.goat = index_in(linked, counts.goat);
    counts.tiger = index_in(linked, counts.tiger);
    games.push_back(counts);
  }
  const RatingFit fit(static_cast<int>(linked.size()), games, {.anchor = index_in(linked, zero)});
  return fit.players()[static_cast<std::size_t>(index_in(linked, subject))];
}

// After the games of this evaluation have been stored.
void add_rating(const RunContext& run, const EvaluationRun& evaluation,
                std::map<std::string, double>& values) {
  const auto fixed = std::ranges::find_if(evaluation.opponents, [](const auto& other) {
    return evaluation_distance(other.label) == 0;
  });
  if (fixed == evaluation.opponents.end()) return;
  const auto rating = rating_of(evaluation.subject.name, fixed->player.name,
                                run.store.all_ladder_games(format_rules(run.config.rules)));
  if (!rating) return;
  const auto add = [&values](const std::string& name, const Rating& value) {
    values[name] = value.elo;
    values[name + "_error"] = value.error;
  };
  add("rating/elo", rating->overall);
  add("rating/elo_as_goat", rating->as_goat);
  add("rating/elo_as_tiger", rating->as_tiger);
}

std::string result_text(const RunContext& run, const EvaluationRun& evaluation,
                        const EvaluationResult& result) {
  const int pairs = run.config.evaluation.pairs;
  std::string text = "evaluation of generation " + std::to_string(evaluation.generation) + ", " +
                     counted(pairs, "pair") + " each in " + decimal(result.seconds, 1) + " s:";
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const MatchReport& match = result.matches[i];
    text += (i == 0 ? " " : ", ") + evaluation.opponents[i].label + " ";
    text += match.pairs == 0 ? "not played" : percent(match.score());
    if (match.pairs == 0) continue;
    text += " (as tiger " + percent(match.as_tiger.score(), 0) + ", as goat " +
            percent(match.as_goat.score(), 0);
    if (match.pairs < pairs) text += ", " + counted(match.pairs, "pair");
    text += ")";
  }
  return text;
}

}  // namespace

std::optional<EvaluationRun> due_evaluation(RunContext& run) {
  const EvaluationSettings& settings = run.config.evaluation;
  const GenerationEntry newest = run.store.generations().back();
  if (settings.every == 0 || newest.number == 0 || newest.number % settings.every != 0 ||
      run.store.meta(kEvaluatedKey) == std::to_string(newest.number))
    return std::nullopt;
  EvaluationRun evaluation;
  evaluation.generation = newest.number;
  evaluation.samples = newest.samples;
  evaluation.subject = network_player(run, run.best, newest.number);
  evaluation.opponents = opponents_of(run, newest.number);
  if (evaluation.opponents.empty()) return std::nullopt;
  const ResultTable stored =
      run.store.ladder_games(format_rules(run.config.rules), names_of(evaluation));
  for (std::size_t i = 0; i < evaluation.opponents.size(); ++i)
    evaluation.opponents[i].pairs_before =
        static_cast<int>(stored.games(0, static_cast<int>(i) + 1) / 2);
  return evaluation;
}

EvaluationResult play_evaluation(RunContext& run, const EvaluationRun& evaluation,
                                 const std::atomic<bool>& stop,
                                 const EvaluationProgress& progress) {
  const EvaluationSettings& settings = run.config.evaluation;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(std::min(settings.seconds, 1e9)));
  MatchSettings match;
  match.rules = run.config.rules;
  match.inference = run.config.inference;
  match.inference.cache_entries = std::min(match.inference.cache_entries, kMostCacheEntries);
  match.cache = make_match_cache(match.inference);
  match.workers = run.match_workers();
  match.on_warning = [&run](const std::string& text) { run.warnings.post(text); };
  match.seed = kLadderSeed;
  OpeningSupply openings(match.rules, match.seed);
  EvaluationResult result;
  int played = 0;
  for (std::size_t i = 0; i < evaluation.opponents.size(); ++i) {
    const EvaluationRun::Opponent& opponent = evaluation.opponents[i];
    const auto left = static_cast<std::int64_t>(evaluation.opponents.size() - i);
    const auto now = Clock::now();
    TimedStop share(stop, now + (end - now) / left);
    match.stop = &share.flag();
    match.first_pair = opponent.pairs_before;
    MatchTally tally(evaluation.subject.name, opponent.player.name);
    try {
      play_match(evaluation.subject, opponent.player,
                 openings.take(match.first_pair, settings.pairs), match,
                 [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
                   tally.add(as_goat, as_tiger);
                   progress(++played, opponent.label);
                   return true;
                 });
    } catch (const std::exception& error) {
      // A run goes on, whatever becomes of an opponent.
      result.failures.push_back("the evaluation against " + opponent.player.name +
                                " failed: " + error.what());
    }
    if (stop || run.stopping()) return result;
    result.matches.push_back(tally.report());
  }
  result.complete = true;
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

void conclude_evaluation(RunContext& run, const EvaluationRun& evaluation,
                         const EvaluationResult& result) {
  run.relay_warnings();
  if (!result.complete) return;
  std::map<std::string, double> values = {{"evaluation/seconds", result.seconds}};
  std::vector<RatedGames> games;
  for (std::size_t i = 0; i < result.matches.size(); ++i) {
    const MatchReport& match = result.matches[i];
    if (match.pairs == 0) continue;
    const std::string prefix = "evaluation/" + evaluation.opponents[i].label + "/";
    values[prefix + "score"] = match.score();
    values[prefix + "score_as_goat"] = match.as_goat.score();
    values[prefix + "score_as_tiger"] = match.as_tiger.score();
    for (const RatedGames& counts : rated_games(match, static_cast<int>(i) + 1))
      games.push_back(counts);
  }
  // First that it is over: a gate that runs beside it may commit in between, and games must not be
  // counted twice.
  run.store.set_meta(kEvaluatedKey, std::to_string(evaluation.generation));
  run.store.add_ladder_games(format_rules(run.config.rules), names_of(evaluation), games);
  add_rating(run, evaluation, values);
  run.metrics(evaluation.samples, values);
  run.message(result_text(run, evaluation, result));
  for (const std::string& failure : result.failures) run.warning(failure);
}

void hold_evaluation(RunContext& run) {
  const std::optional<EvaluationRun> evaluation = due_evaluation(run);
  if (!evaluation) return;
  TimedStop stop(run.stop, run.moment(run.limits.gates));
  const auto total = static_cast<double>(evaluation->opponents.size()) *
                     static_cast<double>(run.config.evaluation.pairs);
  const auto show = [&](int pairs, const std::string& opponent) {
    run.progress({RunPhase::Evaluation, static_cast<double>(pairs), total, opponent});
  };
  show(0, "");
  conclude_evaluation(run, *evaluation, play_evaluation(run, *evaluation, stop.flag(), show));
}

}  // namespace baghzero
