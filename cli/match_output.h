// What `baghzero match` prints and writes about a match.
#pragma once

#include <span>
#include <string>

#include "selfplay/match_report.h"

namespace baghzero {

// "score 62.5 % ± 8.1 %" so far, from the first player's point of view.
std::string running_score(const MatchReport& report);
// The whole report as a few lines.
std::string match_as_text(const MatchReport& report);
std::string match_as_json(const MatchReport& report);

// One game with tag pairs, readable by parse_game() and by people.
std::string match_game_as_text(const MatchGame& game, const MatchReport& report);

}  // namespace baghzero
