#include "engine/agents/agent.h"
#include "selfplay/match.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

constexpr std::uint64_t kClosingSeed = 0x636c6f73;

Player last_generation(const RunContext& run) {
  Player player;
  player.name = "generation " + std::to_string(run.best->generation());
  player.network = run.best;
  player.search = run.config.selfplay.search;
  player.visits = run.config.gate.visits;
  return player;
}

ClosingScore play_against(RunContext& run, const std::string& name,
                          std::function<std::unique_ptr<Agent>()> make_agent) {
  Player opponent;
  opponent.name = name;
  opponent.make_agent = std::move(make_agent);
  MatchSettings match;
  match.rules = run.config.rules;
  match.inference = run.config.inference;
  match.workers = run.match_workers();
  match.seed = mix_bits(run.config.run.seed ^ kClosingSeed);
  match.stop = &run.stop;
  const int pairs = run.config.run.final_pairs;
  const MatchReport report =
      measure_against(last_generation(run), opponent, pairs, match, [&](int done) {
        run.observer.progress({RunPhase::ClosingMatches, static_cast<double>(done),
                               static_cast<double>(pairs), "against " + name});
      });
  if (report.pairs < pairs) return {};
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
  run.store.add_match(entry);
  run.message(summary(report));
  return {true, report.pairs, report.score(), report.as_goat.score(), report.as_tiger.score()};
}

}  // namespace

void play_closing_matches(RunContext& run, RunResult& result) {
  if (run.config.run.final_pairs == 0) return;
  result.against_random = play_against(run, "random", make_random_agent);
  if (!run.stopping()) result.against_greedy = play_against(run, "greedy", make_greedy_agent);
  run.store.commit();
  if (!result.against_greedy.played) result.end = RunEnd::Stopped;
}

}  // namespace baghzero
