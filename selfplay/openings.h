// Openings for matches: short, distinct, quiet beginnings, so that many games between two
// deterministic players are different games.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/game.h"

namespace baghzero {

inline constexpr int kMinOpeningPlies = 2;
inline constexpr int kMaxOpeningPlies = 6;

// `count` games of kMinOpeningPlies..kMaxOpeningPlies plies from the normal start, random
// placements answered by random tiger steps. No two end in positions that a symmetry maps onto each
// other, and all are quiet (see below). Equal seeds give equal openings, and a smaller request is
// the beginning of a larger one. Throws std::invalid_argument if `count` is negative or if these
// rules do not have so many openings.
std::vector<Game> make_openings(const Rules& rules, int count, std::uint64_t seed);

// The first `count` of those openings whose last position `accepts`. Throws as make_openings().
std::vector<Game> make_openings_where(const Rules& rules, int count, std::uint64_t seed,
                                      const std::function<bool(const Position&)>& accepts);

// The openings of a file: one a line, as moves ("G33 B1122 …") or as FEN; lines that begin with #
// are comments. A file with tag pairs is read as a file of games instead (game_file.h). Throws
// std::invalid_argument beginning with "NAME:LINE: " for what cannot be read, an opening that is
// over or that a symmetry of the board maps onto an earlier one, and for a file without any.
std::vector<Game> parse_openings(std::string_view text, const std::string& name,
                                 const Rules& rules);

// Whether goats keep their material for the moment: tigers, if to move, cannot capture, nor make a
// move after which every goat reply leaves a goat to be captured. With goats to move some reply
// must lead to such a position. Looks at board rules only; the game is not over.
bool is_quiet(const Position& position);

}  // namespace baghzero
