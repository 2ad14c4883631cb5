// Counting the leaves of the game tree: the standard check of a move generator.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/game.h"

namespace baghzero {

// Leaf nodes at `depth` plies below the game's position. A game that has ended is a leaf only at
// the depth at which it ended. Repetition follows the rules of `game` with its history; limits are
// not applied, nor is a verdict from outside. The last ply is counted without being played.
// Throws std::invalid_argument if `depth` is negative.
std::uint64_t perft(const Game& game, int depth);

struct PerftDivision {
  Action action;
  std::uint64_t leaves;
};
// perft(depth - 1) below each legal action, in ascending order of actions; depth >= 1, else
// std::invalid_argument is thrown.
std::vector<PerftDivision> perft_divide(const Game& game, int depth);

}  // namespace baghzero
