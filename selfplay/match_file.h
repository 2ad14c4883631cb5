// The game file of a match: what is written while it is played, and what an interrupted match goes
// on from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selfplay/game_file.h"
#include "selfplay/match_report.h"

namespace baghzero {

// A game of the match between `first` and `second` with the tags Round (the pair, from 1), First
// ("goats" or "tigers": the role of the first player), Goats, Tigers, Result, Termination, Plies,
// and Forfeit if a player lost by no rule.
FiledGame file_match_game(const MatchGame& game, const std::string& first,
                          const std::string& second);

struct StoredMatch {
  std::vector<MatchGame> games;  // pair after pair, first player as goat and then as tiger
  std::size_t length = 0;        // of the text that holds them; what follows is to be cut off
};
// The leading pairs of a match's game file of which both games are there in full. Throws
// std::invalid_argument beginning with "NAME:LINE: " if a game was not played in this match:
// between other players, from other openings or by other rules.
StoredMatch read_match(std::string_view text, const std::string& name, const std::string& first,
                       const std::string& second, std::span<const Game> openings);

}  // namespace baghzero
