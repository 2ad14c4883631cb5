#include <cmath>

#include "engine/notation.h"
#include "nn/frozen_network.h"
#include "nn/model_file.h"
#include "training/run_phases.h"

namespace baghzero {
namespace {

std::string mode_name(GateMode mode) {
  switch (mode) {
    case GateMode::Sprt:
      return "sprt";
    case GateMode::Fixed:
      return "fixed";
    case GateMode::Always:
      return "always";
  }
  return "";
}

std::vector<MatchGame> stored_games(const RunStore& store, std::int64_t gate, const Rules& rules) {
  std::vector<MatchGame> games;
  for (const GateGameEntry& game : store.gate_games(gate))
    games.push_back({game.pair, game.candidate_is_tiger, parse_game(game.text, rules)});
  return games;
}

GateGameEntry entry_of(const MatchGame& game) {
  return {game.pair, game.first_is_tiger, format_game(game.game), game.game.outcome(),
          game.game.termination()};
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

void promote(RunContext& run, const Trial& trial, const GateResult& result) {
  const int number = trial.entry.opponent + 1;
  const std::string name = RunFolder::model_name(number);
  const NetworkPtr promoted = with_generation(*trial.candidate, number);
  save_network(*promoted, run.folder.root / name,
               {run.config.rules,
                {{"samples", std::to_string(trial.entry.samples)},
                 {"games", std::to_string(run.state.last_game)},
                 {"gate", result.verdict_line}}});
  run.store.add_generation({number, name, trial.entry.samples, run.state.last_game, 0});
  run.best = promoted;
  run.state.generation = number;
}

}  // namespace

Trial begin_trial(RunContext& run) {
  Trial trial;
  trial.opponent = run.best;
  const std::optional<GateEntry> unfinished = run.store.unfinished_gate();
  if (unfinished && std::filesystem::exists(run.folder.root / unfinished->candidate_file)) {
    trial.entry = *unfinished;
    trial.candidate = load_network(run.folder.root / unfinished->candidate_file);
    trial.played = stored_games(run.store, unfinished->id, run.config.rules);
    run.message("going on with the gate of the candidate at " + grouped(trial.entry.samples) +
                " samples, " + std::to_string(trial.played.size() / 2) + " pairs played");
    return trial;
  }
  trial.candidate = run.trainer.averaged_network(-1);
  trial.entry.samples = run.trainer.samples();
  trial.entry.opponent = run.best->generation();
  trial.entry.mode = mode_name(run.config.gate.mode);
  trial.entry.candidate_file = RunFolder::candidate_name();
  save_network(*trial.candidate, run.folder.root / trial.entry.candidate_file,
               {run.config.rules, {{"samples", std::to_string(trial.entry.samples)}}});
  trial.entry.id = run.store.begin_gate(trial.entry);
  run.store.commit();
  report_play_gap(run, trial.candidate);
  return trial;
}

GateResult play_trial(RunContext& run, const Trial& trial, const TrialProgress& progress) {
  MatchSettings match;
  match.rules = run.config.rules;
  match.inference = run.config.inference;
  match.workers = run.match_workers();
  match.seed = mix_bits(run.config.run.seed) ^ static_cast<std::uint64_t>(trial.entry.samples);
  match.stop = &run.stop;
  // A reproducible gate is played in one go: batches that formed otherwise could answer otherwise.
  std::vector<GateGameEntry> held_back;
  const auto on_pair = [&](const MatchGame& as_goat, const MatchGame& as_tiger,
                           const GateResult& so_far) {
    for (const MatchGame* game : {&as_goat, &as_tiger}) {
      if (run.config.run.reproducible)
        held_back.push_back(entry_of(*game));
      else
        run.store.add_gate_game(trial.entry.id, entry_of(*game));
    }
    run.store.commit();
    progress(so_far.report.pairs, so_far.report.score());
  };
  GateResult result = run_gate(trial.candidate, trial.opponent, run.config.selfplay.search,
                               run.config.gate, match, trial.played, on_pair);
  if (result.verdict != GateVerdict::Interrupted)
    for (const GateGameEntry& game : held_back) run.store.add_gate_game(trial.entry.id, game);
  return result;
}

void conclude_trial(RunContext& run, Trial trial, const GateResult& result) {
  const MatchReport& report = result.report;
  trial.entry.pairs = report.pairs;
  trial.entry.score = report.score();
  trial.entry.score_as_goat = report.as_goat.score();
  trial.entry.score_as_tiger = report.as_tiger.score();
  trial.entry.llr = result.sprt.llr;
  trial.entry.promoted = result.promoted();
  trial.entry.verdict = result.verdict_line;
  // The model file is there before the database says so; both tables change in one transaction.
  if (result.promoted()) promote(run, trial, result);
  run.store.finish_gate(trial.entry);
  run.message(result.verdict_line);
  run.state.iterations_ungated = 0;
  run.metrics({{"gate/score", trial.entry.score},
               {"gate/score_as_goat", trial.entry.score_as_goat},
               {"gate/score_as_tiger", trial.entry.score_as_tiger},
               {"gate/pairs", report.pairs},
               {"gate/elo", result.elo.elo},
               {"gate/llr", result.sprt.llr},
               {"gate/promoted", result.promoted() ? 1 : 0},
               {"gate/generation", run.state.generation}});
}

bool already_decided(const RunContext& run) {
  const std::vector<GateEntry> gates = run.store.gates();
  return !gates.empty() && gates.back().promoted && gates.back().samples == run.trainer.samples();
}

bool run_trial(RunContext& run) {
  if (already_decided(run)) {
    run.state.iterations_ungated = 0;
    return true;
  }
  Trial trial = begin_trial(run);
  const GateResult result = play_trial(run, trial, [&run](int pairs, double score) {
    run.observer.progress({RunPhase::Gate, static_cast<double>(pairs),
                           static_cast<double>(run.config.gate.max_pairs),
                           "candidate scores " + percent(score)});
  });
  if (result.verdict == GateVerdict::Interrupted) return false;
  conclude_trial(run, std::move(trial), result);
  return true;
}

}  // namespace baghzero
