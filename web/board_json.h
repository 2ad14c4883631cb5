// What the page is told, as JSON. Points are names such as "33", moves those of engine/notation.h.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/solver/probe.h"
#include "play/analyst.h"
#include "web/sessions.h"

namespace baghzero {

// All that is to be seen of a game:
//   "version", "settings" {"side", "visits", "seconds"},
//   "rules" {"goats", "captures_to_win", "repetition"}, "tigers", "goats" [points],
//   "side_to_move", "goats_in_hand", "captured", "moves", "start" {"side", "goat_moves"},
//   "legal" [{"move", "from", "over", "to"}], "tiger_moves" (the same, whoever is to move),
//   "immobile" [points], "engine_to_move", "end" null or {"result", "why"}, "fen", "text"
nlohmann::ordered_json game_as_json(const Session& session);

// The lines of the board, each a list of points.
nlohmann::ordered_json lines_as_json();

// An analysis of one simulation, which is what the network says: {"goats", "draw", "tigers":
// shares, "moves": [{"move", "from", "over", "to", "share"}]}.
nlohmann::ordered_json network_as_json(const Game& game, const Analysis& analysis);

// {"result", "plies", "moves": [{"move", "from", "over", "to", "value", "plies"}]}: "result" is
// that of the game, "value" one of "win", "draw", "loss" for the side to move; null where unknown.
nlohmann::ordered_json solved_as_json(Side side, const std::optional<SolvedValue>& value,
                                      const std::vector<ProbedMove>& moves);

}  // namespace baghzero
