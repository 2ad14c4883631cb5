// Boards as inline SVG, in the classes of html.h.
#pragma once

#include <string>
#include <vector>

#include "engine/game.h"

namespace baghzero {

// The lines of the board, once a page, before the first board_picture().
std::string board_lines();
// The position after `ply` moves of the game, with the last of them marked.
std::string board_picture(const Game& game, int ply);

}  // namespace baghzero
