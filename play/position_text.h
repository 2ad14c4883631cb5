// Positions as engines are told them: "startpos" or "fen ROWS SIDE MOVES", then perhaps
// "moves G33 B1122 ...".
#pragma once

#include <string_view>
#include <vector>

#include "engine/game.h"

namespace baghzero {

std::vector<std::string_view> split_words(std::string_view text);

// The word "fen" may be left out. Throws std::invalid_argument with a sentence that names the
// fault; of an illegal move its number (the first is 1), its text and the reason.
Game parse_position(std::string_view text, const Rules& rules = {});

}  // namespace baghzero
