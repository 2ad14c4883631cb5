// Stored games as arrays of numbers, and back (docs/game-arrays.md).
#pragma once

#include <span>
#include <vector>

#include "selfplay/game_record.h"
#include "training/npz.h"

namespace baghzero {

// Everything that the records hold, and for convenience the position and the legal actions at every
// move.
NpyArrays games_to_arrays(std::span<const GameRecord> games);

// The records that the arrays were made of; positions and legal actions are not read. Throws
// std::runtime_error naming the array or the game if something is missing or does not fit together;
// whether moves are legal is for encode_game() to see.
std::vector<GameRecord> games_from_arrays(const NpyArrays& arrays);

}  // namespace baghzero
