// How good a position looks without a search.
#pragma once

#include "engine/position.h"
#include "engine/rules.h"

namespace baghzero {

// No heuristic value lies outside -kMaxHeuristic..kMaxHeuristic.
inline constexpr int kMaxHeuristic = 8'000;

// The value of an unfinished position for the side to move, in hundredths of about a goat. Goats
// want captures few, tigers immobile, goats out of danger, and empty points that no tiger can
// reach; tigers want captures, steps, the middle of the board and goats to threaten. The weights
// were set by play against the other baselines.
int heuristic_value(const Position& position, const Rules& rules);

}  // namespace baghzero
