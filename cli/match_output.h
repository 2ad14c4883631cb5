// What `baghzero match` prints and writes about a match.
#pragma once

#include <optional>
#include <string>

#include "selfplay/match.h"
#include "selfplay/statistics.h"

namespace baghzero {

struct MatchVerdict {
  const MatchReport& report;
  std::optional<SprtSettings> test;  // if it decided when the match ended
};

// "score 62.5 % ± 8.1 %" so far, from the first player's point of view.
std::string running_score(const MatchReport& report);
// "12,345 plies" so far, openings left out.
std::string plies_text(const MatchProgress& progress);
// "LLR 1.20 [-2.94, 2.94]" so far.
std::string llr_text(const MatchReport& report, const SprtSettings& hypotheses);
// The whole report as a few lines, and as one JSON object.
std::string match_as_text(const MatchVerdict& verdict);
std::string match_as_json(const MatchVerdict& verdict);

}  // namespace baghzero
