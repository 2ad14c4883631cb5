#include "training/gate.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "engine/text.h"

namespace baghzero {
namespace {

SprtSettings sprt_settings(const GateSettings& gate) {
  return {gate.elo0, gate.elo1, gate.alpha, gate.beta};
}

std::string rule_line(const GateSettings& gate, const GateResult& result) {
  const std::string name(to_string(gate.mode));
  if (gate.mode == GateMode::Sprt && result.sprt.decision != SprtDecision::Continue)
    return name + ", " + std::string(to_string(result.sprt.decision));
  if (result.verdict == GateVerdict::Interrupted)
    return name + ", undecided after " + std::to_string(result.report.pairs) + " of " +
           counted(gate.max_pairs, "pair");
  return name + ", score " + (result.promoted() ? "reaches " : "is below ") +
         percent(gate.threshold) + " after all " + counted(gate.max_pairs, "pair");
}

std::string_view verdict_word(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::Interrupted:
      return "interrupted";
    case GateVerdict::Rejected:
      return "rejected";
    case GateVerdict::Promoted:
      return "promoted";
  }
  return "";
}

std::string test_line(const GateSettings& gate, const SprtState& test) {
  return "LLR " + decimal(test.llr, 2) + " [" + decimal(test.lower, 2) + ", " +
         decimal(test.upper, 2) + "] for Elo " + decimal(gate.elo1, 0) + " against " +
         decimal(gate.elo0, 0);
}

std::string verdict_line(const GateSettings& gate, const GateResult& result) {
  const MatchReport& report = result.report;
  std::string line = std::string(verdict_word(result.verdict)) + ": " + report.first + " against " +
                     report.second + ": ";
  if (gate.mode == GateMode::Always) return line + "no game played (rule: always)";
  const EloEstimate& elo = result.elo;
  line += percent(report.score()) + " in " + counted(report.pairs, "pair") + " (as tiger " +
          percent(report.as_tiger.score()) + ", as goat " + percent(report.as_goat.score()) +
          "), Elo " + decimal(elo.elo, 0, true) + " [" + decimal(elo.lower, 0, true) + ", " +
          decimal(elo.upper, 0, true) + "], ";
  if (gate.mode == GateMode::Sprt) line += test_line(gate, result.sprt) + ", ";
  line += std::to_string(report.distinct_games) + " of " + std::to_string(report.games()) +
          " games distinct, " + counted(report.limit_draws(), "draw") + " by a limit (rule: ";
  return line + rule_line(gate, result) + ")";
}

// Throws unless `game` is a finished one of this gate's.
void check_played(const MatchGame& game, std::span<const Game> openings, const Rules& rules) {
  const std::string which =
      "the stored gate game of pair " + std::to_string(game.pair) +
      (game.first_is_tiger ? " (candidate as tiger)" : " (candidate as goat)");
  if (game.pair < 0) throw std::invalid_argument(which + " has a negative pair");
  if (!game.game.over()) throw std::invalid_argument(which + " is not finished");
  if (!(game.game.rules() == rules))
    throw std::invalid_argument(which + " was played by other rules than the gate's");
  const std::span<const Action> opening = openings[static_cast<std::size_t>(game.pair)].moves();
  const std::span<const Action> moves = game.game.moves();
  if (moves.size() < opening.size() || !std::ranges::equal(opening, moves.first(opening.size())))
    throw std::invalid_argument(which + " does not begin with the opening of that pair: it comes " +
                                "from a gate with another seed");
}

// The games of this gate, checked, by pair and role; null: missing.
std::vector<const MatchGame*> in_order(std::span<const MatchGame> played,
                                       std::span<const Game> openings, const Rules& rules) {
  std::vector<const MatchGame*> games(2 * openings.size());
  for (const MatchGame& game : played) {
    if (game.pair >= static_cast<int>(openings.size())) continue;  // max_pairs was lowered
    check_played(game, openings, rules);
    games[2 * static_cast<std::size_t>(game.pair) + (game.first_is_tiger ? 1 : 0)] = &game;
  }
  return games;
}

}  // namespace

void check_gate(const GateSettings& gate) {
  const auto check = [](const char* name, bool good, double value, const char* wanted) {
    if (good) return;
    throw std::invalid_argument(std::string("gate.") + name + " is " + decimal(value, 3) +
                                ", but must be " + wanted);
  };
  check("visits", gate.visits >= 0, gate.visits, "0 (the bare policy) or more");
  check("max_pairs", gate.max_pairs >= 1, gate.max_pairs, "at least 1");
  check("threshold", gate.threshold >= 0 && gate.threshold <= 1, gate.threshold, "within 0..1");
  check_sprt(sprt_settings(gate), "gate.");
}

GateVerdict gate_verdict(const GateSettings& gate, const PairCounts& pairs) {
  if (gate.mode == GateMode::Always) return GateVerdict::Promoted;
  if (gate.mode == GateMode::Sprt) {
    const SprtDecision decision = sprt(pairs, sprt_settings(gate)).decision;
    if (decision == SprtDecision::AcceptH1) return GateVerdict::Promoted;
    if (decision == SprtDecision::AcceptH0) return GateVerdict::Rejected;
  }
  if (pair_total(pairs) < gate.max_pairs) return GateVerdict::Interrupted;
  return score_of(pairs) >= gate.threshold ? GateVerdict::Promoted : GateVerdict::Rejected;
}

GateResult run_gate(const Player& candidate, const Player& best, const GateSettings& gate,
                    const MatchSettings& match, std::span<const MatchGame> played,
                    const GateProgressCallback& on_progress) {
  check_gate(gate);
  MatchTally tally(candidate.name, best.name);
  GateResult result;
  const auto update = [&] {
    result.report = tally.report();
    result.sprt = sprt(result.report.pair_counts, sprt_settings(gate));
    result.elo = estimate_elo(result.report.pair_counts);
    result.verdict = gate_verdict(gate, result.report.pair_counts);
    result.verdict_line = verdict_line(gate, result);
    return result.verdict == GateVerdict::Interrupted;
  };
  const auto judge = [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
    tally.add(as_goat, as_tiger);
    const bool undecided = update();
    if (on_progress) on_progress(result);
    return undecided;
  };
  if (!update()) return result;

  // What the stored games decide by themselves needs no player.
  const std::vector<Game> openings = make_openings(match.rules, gate.max_pairs, match.seed);
  const std::vector<const MatchGame*> stored = in_order(played, openings, match.rules);
  std::size_t judged = 0;  // games
  for (; judged < stored.size() && stored[judged] && stored[judged + 1]; judged += 2)
    if (!judge(*stored[judged], *stored[judged + 1])) return result;

  std::vector<MatchGame> beyond_a_gap;
  for (const MatchGame* game : std::span(stored).subspan(judged))
    if (game) beyond_a_gap.push_back(*game);
  Player first = candidate;
  Player second = best;
  first.visits = second.visits = gate.visits;
  MatchSettings settings = match;
  settings.first_pair = static_cast<int>(judged / 2);
  settings.played = beyond_a_gap;
  play_match(first, second, std::span(openings).subspan(judged / 2), settings, judge);
  return result;
}

GateResult run_gate(const NetworkPtr& candidate, const NetworkPtr& best,
                    const SearchSettings& search, const GateSettings& gate,
                    const MatchSettings& match, std::span<const MatchGame> played,
                    const GateProgressCallback& on_progress) {
  Player first;
  first.name = "candidate";
  first.network = candidate;
  first.search = search;
  Player second = first;
  second.name = "generation " + std::to_string(best->generation());
  second.network = best;
  return run_gate(first, second, gate, match, played, on_progress);
}

}  // namespace baghzero
