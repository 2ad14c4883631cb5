// Which sides of a game persons play, and what that means for whose turn it is and for taking back.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/game.h"

namespace baghzero {

enum class Persons : std::uint8_t { Goats, Tigers, Both };
std::string_view to_string(Persons persons);  // "goat", "tiger", "both"
// Throws std::invalid_argument naming the text and the accepted names.
Persons persons_from_string(std::string_view text);

// Whether a person plays `side`.
bool plays(Persons persons, Side side);

// Takes moves back to the last decision of a person, to the start position if there was none.
// Throws std::invalid_argument if no move has been made.
void take_back(Game& game, Persons persons);

// Why a game ended, as the end of a sentence; `termination` is not None.
std::string_view explain(Termination termination);

}  // namespace baghzero
