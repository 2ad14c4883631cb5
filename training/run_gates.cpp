#include "engine/notation.h"
#include "engine/text.h"
#include "nn/frozen_network.h"
#include "nn/model_file.h"
#include "training/run_ownership.h"
#include "training/run_phases.h"
#include "training/timed_stop.h"

namespace baghzero {
namespace {

constexpr std::string_view kAbandoned = "abandoned: ";

std::vector<MatchGame> stored_games(const RunContext& run, std::int64_t gate) {
  std::vector<MatchGame> games;
  for (const GateGameEntry& game : run.store.gate_games(gate))
    if (game.pair < run.config.gate.max_pairs)  // it may have been lowered
      games.push_back(
          {game.pair, game.candidate_is_tiger, parse_game(game.text, run.config.rules)});
  return games;
}

GateGameEntry entry_of(const MatchGame& game) {
  return {game.pair, game.first_is_tiger, format_game(game.game), game.game.outcome(),
          game.game.termination()};
}

void promote(RunContext& run, const GateRun& gate, const GateResult& result) {
  const int number = gate.entry.opponent + 1;
  const std::string name = RunFolder::model_name(number);
  const NetworkPtr promoted = with_generation(*gate.candidate, number);
  save_network(*promoted, run.folder.root / name,
               {run.config.rules,
                {{"samples", std::to_string(gate.entry.samples)},
                 {"games", std::to_string(run.state.last_game)},
                 {"gate", result.verdict_line}}});
  run.store.add_generation({number, name, gate.entry.samples, run.state.last_game, 0});
  run.best = promoted;
  run.state.generation = number;
}

// Without the numbers that say nothing: the score of no game, the test of a rule that is none.
std::map<std::string, double> metrics_of(const RunContext& run, const GateEntry& entry,
                                         const GateResult& result) {
  std::map<std::string, double> values = {{"gate/pairs", entry.pairs},
                                          {"gate/promoted", result.promoted() ? 1 : 0},
                                          {"gate/generation", run.state.generation}};
  if (entry.pairs == 0) return values;
  values["gate/score"] = entry.score;
  values["gate/score_as_goat"] = entry.score_as_goat;
  values["gate/score_as_tiger"] = entry.score_as_tiger;
  values["gate/elo"] = result.elo.elo;
  if (run.config.gate.mode == GateMode::Sprt) values["gate/llr"] = result.sprt.llr;
  return values;
}

// The gate that an earlier start left unfinished. One whose candidate or games cannot be used any
// more ends here, committed before another candidate takes the place of that file: none is decided
// by games of two candidates.
std::optional<GateRun> take_up_gate(RunContext& run) {
  const std::optional<GateEntry> unfinished = run.store.unfinished_gate();
  if (!unfinished) return std::nullopt;
  GateRun gate;
  gate.entry = *unfinished;
  gate.opponent = run.best;
  const std::string candidate = "the candidate at " + grouped(gate.entry.samples) + " samples";
  try {
    gate.candidate = load_candidate(run.folder.root, gate.entry, run.config);
    gate.played = stored_games(run, gate.entry.id);
  } catch (const std::exception& fault) {
    gate.entry.promoted = false;
    gate.entry.verdict = std::string(kAbandoned) + candidate + " or a game is lost";
    run.store.finish_gate(gate.entry);
    run.store.commit();
    run.warning("the gate of " + candidate + " is abandoned (" + fault.what() +
                ") and another one begun");
    return std::nullopt;
  }
  run.message("going on with the gate of " + candidate + ", " +
              counted(static_cast<std::int64_t>(gate.played.size()), "game") + " played");
  return gate;
}

}  // namespace

GateRun begin_gate(RunContext& run) {
  if (std::optional<GateRun> unfinished = take_up_gate(run)) return *std::move(unfinished);
  GateRun gate;
  gate.opponent = run.best;
  gate.candidate = run.trainer.averaged_network(-1);
  gate.entry.samples = run.trainer.samples();
  gate.entry.opponent = run.best->generation();
  gate.entry.mode = std::string(to_string(run.config.gate.mode));
  gate.entry.candidate_file = RunFolder::candidate_name();
  save_network(*gate.candidate, run.folder.root / gate.entry.candidate_file,
               {run.config.rules, {{"samples", std::to_string(gate.entry.samples)}}});
  gate.entry.id = run.store.begin_gate(gate.entry);
  run.store.commit();
  report_play_gap(run, gate.candidate);
  return gate;
}

GateResult play_gate(RunContext& run, const GateRun& gate, const std::atomic<bool>& stop,
                     const GateProgress& progress) {
  MatchSettings match;
  match.rules = run.config.rules;
  match.inference = run.config.inference;
  match.workers = run.match_workers();
  match.seed = mix_bits(run.config.run.seed) ^ static_cast<std::uint64_t>(gate.entry.samples);
  match.stop = &stop;
  match.on_warning = [&run](const std::string& text) { run.warnings.post(text); };
  GateStanding standing;
  standing.games = static_cast<int>(gate.played.size());
  match.on_progress = [&standing, &progress, before = standing.games](const MatchProgress& now) {
    standing.games = before + now.games;
    standing.plies = now.plies;
    progress(standing);
  };
  // A reproducible gate is played in one go: batches that formed otherwise could answer otherwise.
  std::vector<GateGameEntry> held_back;
  match.on_games = [&](std::span<const MatchGame> games) {
    for (const MatchGame& game : games) {
      if (run.config.run.reproducible)
        held_back.push_back(entry_of(game));
      else
        run.store.add_gate_game(gate.entry.id, entry_of(game));
    }
    if (!run.config.run.reproducible) run.store.commit();
  };
  const auto on_progress = [&standing](const GateResult& so_far) {
    standing.pairs = so_far.report.pairs;
    standing.score = so_far.report.score();
  };
  GateResult result = run_gate(gate.candidate, gate.opponent, run.config.selfplay.search,
                               run.config.gate, match, gate.played, on_progress);
  if (result.verdict != GateVerdict::Interrupted)
    for (const GateGameEntry& game : held_back)
      // Which games of later pairs had ended by then is a matter of timing.
      if (game.pair < result.report.pairs) run.store.add_gate_game(gate.entry.id, game);
  return result;
}

void conclude_gate(RunContext& run, GateRun gate, const GateResult& result) {
  const MatchReport& report = result.report;
  gate.entry.pairs = report.pairs;
  gate.entry.score = report.score();
  gate.entry.score_as_goat = report.as_goat.score();
  gate.entry.score_as_tiger = report.as_tiger.score();
  gate.entry.llr = result.sprt.llr;
  gate.entry.promoted = result.promoted();
  gate.entry.verdict = result.verdict_line;
  // The model file is there before the database says so; both tables change in one transaction.
  if (result.promoted()) promote(run, gate, result);
  run.store.finish_gate(gate.entry);
  run.store.commit_durably();
  std::filesystem::remove(run.folder.root / gate.entry.candidate_file);
  run.message(result.verdict_line);
  run.state.iterations_ungated = 0;
  run.metrics(metrics_of(run, gate.entry, result));
}

void report_cut_off(RunContext& run, const GateResult& result) {
  run.message("run.minutes are over, the gate is " + result.verdict_line +
              "; a resume with more run.minutes goes on with it");
}

bool already_decided(const RunContext& run) {
  const std::vector<GateEntry> gates = run.store.gates();
  return !gates.empty() && gates.back().promoted && !gates.back().verdict.starts_with(kAbandoned) &&
         gates.back().samples == run.trainer.samples();
}

GateEnd hold_gate(RunContext& run) {
  if (already_decided(run)) {
    run.state.iterations_ungated = 0;
    return GateEnd::Decided;
  }
  GateRun gate = begin_gate(run);
  TimedStop stop(run.stop, run.moment(run.limits.gates));
  const auto show = [&run](const GateStanding& standing) {
    run.relay_warnings();
    std::string detail = counted(standing.plies, "ply", "plies");
    if (standing.pairs > 0)
      detail += ", candidate scores " + percent(standing.score) + " in " +
                counted(standing.pairs, "pair");
    run.progress({RunPhase::Gate, static_cast<double>(standing.games),
                  2.0 * run.config.gate.max_pairs, detail});
  };
  show({.games = static_cast<int>(gate.played.size())});
  const GateResult result = play_gate(run, gate, stop.flag(), show);
  run.relay_warnings();
  if (result.verdict == GateVerdict::Interrupted) {
    if (!stop.time_is_up()) return GateEnd::Stopped;
    report_cut_off(run, result);
    return GateEnd::TimeIsUp;
  }
  conclude_gate(run, std::move(gate), result);
  return GateEnd::Decided;
}

}  // namespace baghzero
