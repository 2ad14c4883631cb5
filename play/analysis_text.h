// A finished analysis as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "engine/game.h"
#include "play/analyst.h"

namespace baghzero {

// The board, the verdict and a table of the lines.
std::string analysis_as_text(const Game& game, const Analysis& analysis);

// {"fen", "side_to_move", "best", "value", "wdl", "proof", "visits", "seconds", "lines": [{"move",
// "visits", "prior", "value", "wdl", "proof", "proof_plies", "moves"}]}. Values are for the side to
// move in the analysed position, from -1 to 1; "proof" is "win", "draw", "loss" or null.
nlohmann::ordered_json analysis_as_json(const Game& game, const Analysis& analysis);

// A game that is over: {"fen", "result", "termination"}.
nlohmann::ordered_json ending_as_json(const Game& game);

}  // namespace baghzero
