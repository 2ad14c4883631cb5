// The strength two players show in a match, from pairs of games: Elo with its uncertainty, and the
// sequential test that decides a gate.
//
// Scores are 0..1, a draw counting half; Elo is logistic, score = 1 / (1 + 10^(-elo/400)). The two
// games of a pair share an opening, so that the pair is the unit of every variance here
// (the pentanomial model, Van den Bergh, "Normalized Elo", 2020).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "selfplay/match_report.h"

namespace baghzero {

std::int64_t pair_total(const PairCounts& counts);
// 0.5 without pairs.
double score_of(const PairCounts& counts);

// Scores of 0 and 1 give minus and plus infinity.
double elo_from_score(double score);
double score_from_elo(double elo);

struct EloEstimate {
  double elo = 0;
  double lower = 0;  // bounds of the 95 % interval
  double upper = 0;
};
// Normal approximation on the mean of the pairs, its variance taken from their counts and one
// virtual pair split between both extremes, so that equal pairs do not claim certainty. Everything
// is finite: scores are kept a quarter of a game point (of 2 * pairs) away from 0 and 1. Without
// pairs the interval is what a single pair would leave open.
EloEstimate estimate_elo(const PairCounts& counts);

struct SprtSettings {
  double elo0 = 0;  // hypothesis 0: the first player is no stronger than this
  double elo1 = 35;
  double alpha = 0.05;  // probability of accepting hypothesis 1 when elo0 is true
  double beta = 0.05;   // probability of accepting hypothesis 0 when elo1 is true
};
// Throws std::invalid_argument naming the value, after `prefix`: elo0 < elo1, both within
// -1000..1000, alpha and beta in 0..0.5, ends excluded.
void check_sprt(const SprtSettings& settings, std::string_view prefix = "");

enum class SprtDecision : std::uint8_t { Continue, AcceptH0, AcceptH1 };
std::string_view to_string(SprtDecision decision);  // "continue", "accept H0", "accept H1"

struct SprtState {
  double llr = 0;
  double lower = 0;  // log(beta / (1 - alpha)): accept hypothesis 0 at or below
  double upper = 0;  // log((1 - beta) / alpha): accept hypothesis 1 at or above
  SprtDecision decision = SprtDecision::Continue;
};

// Log-likelihood ratio of elo1 against elo0: the generalised SPRT, which compares the likeliest
// distributions over the five bins that have the means of either hypothesis (Van den Bergh, "A
// practical introduction to the GSPRT", 2018). Empty bins count as a thousandth of a pair. Zero
// without pairs, finite always.
double sprt_llr(const PairCounts& counts, double elo0, double elo1);
// The test after these pairs. To keep the error rates, ask after every pair and stop at the first
// decision.
SprtState sprt(const PairCounts& counts, const SprtSettings& settings);

}  // namespace baghzero
