// Openings for matches: short, distinct, quiet beginnings, so that many games between two
// deterministic players are different games.
#pragma once

#include <cstdint>
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

// Whether goats keep their material for the moment: tigers, if to move, cannot capture, nor make a
// move after which every goat reply leaves a goat to be captured. With goats to move some reply
// must lead to such a position. Looks at board rules only; the game is not over.
bool is_quiet(const Position& position);

}  // namespace baghzero
