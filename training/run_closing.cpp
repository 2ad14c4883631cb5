#include <optional>
#include <string>

#include "engine/agents/agent.h"
#include "engine/text.h"
#include "selfplay/match.h"
#include "training/run_phases.h"
#include "training/timed_stop.h"

namespace baghzero {
namespace {

constexpr std::uint64_t kClosingSeed = 0x636c6f73;

using Moment = std::optional<std::chrono::steady_clock::time_point>;

ClosingScore score_of(const MatchEntry& entry) {
  return {true, entry.pairs, entry.score, entry.score_as_goat, entry.score_as_tiger};
}

MatchEntry entry_of(const MatchReport& report) {
  const RoleTally total = report.total();
  MatchEntry entry;
  entry.first = report.first;
  entry.second = report.second;
  entry.pairs = report.pairs;
  entry.wins = total.wins;
  entry.draws = total.draws;
  entry.losses = total.losses;
  entry.score = report.score();
  entry.score_as_goat = report.as_goat.score();
  entry.score_as_tiger = report.as_tiger.score();
  return entry;
}

// The last generation against an opponent of that name, the newest match of at least so many pairs.
std::optional<MatchEntry> stored_match(const RunContext& run, const std::string& opponent,
                                       int least_pairs) {
  const std::string generation = best_player(run).name;
  std::optional<MatchEntry> newest;
  for (const MatchEntry& entry : run.store.matches())
    if (entry.first == generation && entry.second == opponent && entry.pairs >= least_pairs)
      newest = entry;
  return newest;
}

// Nothing is kept of a match that was told to stop: a resume plays it. One that `deadline` cuts off
// counts with the pairs it has.
ClosingScore play_against(RunContext& run, const std::string& name,
                          std::function<std::unique_ptr<Agent>()> make_agent,
                          const Moment& deadline) {
  Player opponent;
  opponent.name = name;
  opponent.make_agent = std::move(make_agent);
  TimedStop stop(run.stop, deadline);
  MatchSettings match;
  match.rules = run.config.rules;
  match.inference = run.config.inference;
  match.workers = run.match_workers();
  match.seed = mix_bits(run.config.run.seed ^ kClosingSeed);
  const int pairs = run.config.run.closing_pairs;
  match.on_warning = [&run](const std::string& text) { run.warnings.post(text); };
  match.on_progress = [&](const MatchProgress& progress) {
    run.relay_warnings();
    run.progress({RunPhase::ClosingMatches, static_cast<double>(progress.games), 2.0 * pairs,
                  "against " + name + ", " + counted(progress.plies, "ply", "plies")});
  };
  match.on_progress({});
  match.stop = &stop.flag();
  const MatchReport report = measure_against(best_player(run), opponent, pairs, match);
  run.relay_warnings();
  if (report.pairs < pairs) {
    if (!stop.time_is_up()) return {};
    run.message("run.minutes are over: the match against " + name + " ends after " +
                std::to_string(report.pairs) + " of " + counted(pairs, "pair"));
    if (report.pairs == 0) return {};
  }
  const MatchEntry entry = entry_of(report);
  run.store.add_match(entry);
  run.message(summary(report));  // commits: a resume does not play it again
  return score_of(entry);
}

// Half of what is left is the first match's, so that both are played.
Moment halfway_to(const Moment& end) {
  if (!end) return end;
  const auto now = std::chrono::steady_clock::now();
  return now + (*end - now) / 2;
}

}  // namespace

void play_closing_matches(RunContext& run, RunResult& result) {
  const int pairs = run.config.run.closing_pairs;
  if (pairs > 0) {
    // An earlier start may have been stopped after the first of them.
    const std::optional<MatchEntry> random = stored_match(run, "random", pairs);
    const std::optional<MatchEntry> greedy = stored_match(run, "greedy", pairs);
    if (random) result.against_random = score_of(*random);
    if (greedy) result.against_greedy = score_of(*greedy);
    const Moment end = run.moment(run.limits.whole);
    if (!random || !greedy)
      run.message("closing matches against random and greedy, " + counted(pairs, "pair") + " each");
    if (!random)
      result.against_random =
          play_against(run, "random", make_random_agent, greedy ? end : halfway_to(end));
    if (!greedy && !run.stopping())
      result.against_greedy = play_against(run, "greedy", make_greedy_agent, end);
    if (run.stopping() && !(result.against_random.played && result.against_greedy.played)) {
      result.end = RunEnd::Stopped;
      return;
    }
  }
  run.set_finished(true);
}

void recall_closing_matches(const RunContext& run, RunResult& result) {
  if (const auto random = stored_match(run, "random", 0)) result.against_random = score_of(*random);
  if (const auto greedy = stored_match(run, "greedy", 0)) result.against_greedy = score_of(*greedy);
}

}  // namespace baghzero
