#include "cli/match_output.h"

#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "engine/text.h"

namespace baghzero {
namespace {

// Half the 95 % interval of the score.
double score_error(const EloEstimate& elo) {
  return (score_from_elo(elo.upper) - score_from_elo(elo.lower)) / 2;
}

std::string elo_text(const EloEstimate& elo) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%+.0f (95 %%: %+.0f to %+.0f)", elo.elo, elo.lower,
                elo.upper);
  return text.data();
}

std::string role_text(const RoleTally& tally) {
  std::string text = percent(tally.score());
  return text.append("  (won ")
      .append(std::to_string(tally.wins))
      .append(", drawn ")
      .append(std::to_string(tally.draws))
      .append(", lost ")
      .append(std::to_string(tally.losses))
      .append(")");
}

std::string terminations_text(const MatchReport& report) {
  std::string text;
  for (int i = 0; i < kTerminationCount; ++i) {
    const int games = report.terminations[static_cast<std::size_t>(i)];
    if (games == 0) continue;
    text.append(text.empty() ? "" : ", ")
        .append(to_string(static_cast<Termination>(i)))
        .append(" ")
        .append(std::to_string(games));
  }
  return text;
}

std::string forfeits_text(const MatchReport& report) {
  std::string text;
  for (const std::size_t player : {0, 1})
    if (report.forfeits[player] > 0)
      text.append(text.empty() ? "" : ", ")
          .append(std::to_string(report.forfeits[player]))
          .append(" by ")
          .append(player == 0 ? report.first : report.second);
  return text;
}

std::string sprt_text(const MatchReport& report, const SprtSettings& test) {
  const SprtState state = sprt(report.pair_counts, test);
  std::string text = llr_text(report, test);
  text.append(" for Elo ").append(short_number(test.elo1));
  text.append(" against ").append(short_number(test.elo0));
  const bool decided = state.decision != SprtDecision::Continue;
  text.append(": ").append(decided ? to_string(state.decision) : "undecided");
  return text;
}

nlohmann::ordered_json sprt_json(const MatchReport& report, const SprtSettings& test) {
  const SprtState state = sprt(report.pair_counts, test);
  return {{"elo0", test.elo0},    {"elo1", test.elo1},
          {"alpha", test.alpha},  {"beta", test.beta},
          {"llr", state.llr},     {"lower", state.lower},
          {"upper", state.upper}, {"decision", to_string(state.decision)}};
}

nlohmann::ordered_json role_json(const RoleTally& tally) {
  return {{"score", tally.score()},
          {"games", tally.games()},
          {"wins", tally.wins},
          {"draws", tally.draws},
          {"losses", tally.losses}};
}

}  // namespace

std::string running_score(const MatchReport& report) {
  const double error = score_error(estimate_elo(report.pair_counts));
  return "score " + percent(report.score()) + " ± " + percent(error);
}

std::string plies_text(const MatchProgress& progress) {
  return counted(progress.plies, "ply", "plies");
}

std::string llr_text(const MatchReport& report, const SprtSettings& hypotheses) {
  const SprtState state = sprt(report.pair_counts, hypotheses);
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "LLR %.2f [%.2f, %.2f]", state.llr, state.lower,
                state.upper);
  return text.data();
}

std::string match_as_text(const MatchVerdict& verdict) {
  const MatchReport& report = verdict.report;
  const EloEstimate elo = estimate_elo(report.pair_counts);
  std::string text = report.first + " against " + report.second + ", " +
                     counted(report.pairs, "pair") + " of games\n";
  if (report.pairs == 0) return text + "  no score: both games of a pair must end first\n";
  const auto row = [&text](const char* name, const std::string& value) {
    std::string label = name;
    label.resize(16, ' ');
    text.append("  ").append(label).append(value).append("\n");
  };
  row("score", percent(report.score()) + " ± " + percent(score_error(elo)));
  row("Elo", elo_text(elo));
  if (verdict.test) row("test", sprt_text(report, *verdict.test));
  row("as goat", role_text(report.as_goat));
  row("as tiger", role_text(report.as_tiger));
  row("draws", std::to_string(report.total().draws) + ", of them by a limit " +
                   std::to_string(report.limit_draws()));
  row("ends", terminations_text(report));
  if (report.forfeits != std::array{0, 0}) row("forfeits", forfeits_text(report));
  row("average length", short_number(report.average_plies) + " plies");
  row("distinct games",
      std::to_string(report.distinct_games) + " of " + std::to_string(report.games()));
  return text;
}

std::string match_as_json(const MatchVerdict& verdict) {
  const MatchReport& report = verdict.report;
  const EloEstimate elo = estimate_elo(report.pair_counts);
  nlohmann::ordered_json terminations = nlohmann::ordered_json::object();
  for (int i = 0; i < kTerminationCount; ++i)
    if (const int games = report.terminations[static_cast<std::size_t>(i)]; games > 0)
      terminations[std::string(to_string(static_cast<Termination>(i)))] = games;
  const nlohmann::ordered_json result = {
      {"first", report.first},
      {"second", report.second},
      {"pairs", report.pairs},
      {"score", report.score()},
      {"score_error_95", score_error(elo)},
      {"elo", {{"estimate", elo.elo}, {"lower_95", elo.lower}, {"upper_95", elo.upper}}},
      {"sprt", verdict.test ? sprt_json(report, *verdict.test) : nlohmann::ordered_json(nullptr)},
      {"total", role_json(report.total())},
      {"as_goat", role_json(report.as_goat)},
      {"as_tiger", role_json(report.as_tiger)},
      {"pair_counts", report.pair_counts},
      {"limit_draws", report.limit_draws()},
      {"terminations", terminations},
      {"forfeits", {{"first", report.forfeits[0]}, {"second", report.forfeits[1]}}},
      {"average_plies", report.average_plies},
      {"distinct_games", report.distinct_games}};
  return result.dump(2) + "\n";
}

}  // namespace baghzero
