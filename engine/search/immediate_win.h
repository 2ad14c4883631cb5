// Wins in one move, seen without a search.
#pragma once

#include "engine/position.h"
#include "engine/rules.h"

namespace baghzero::search_detail {

// Index in `legal` of a move that wins at once, by the last capture needed or by leaving the tigers
// without a move; -1 if there is none. Wins that need repetition are left to the search.
int immediate_win(const Position& position, const ActionList& legal, const Rules& rules);

}  // namespace baghzero::search_detail
