// An agent that plays by the solved game.
#pragma once

#include <memory>
#include <string>

#include "engine/agents/agent.h"
#include "engine/solver/database.h"

namespace baghzero {

struct PerfectAgentSettings {
  bool random = false;  // any move that keeps the value, all equally likely
};

// Keeps the value of the position among the moves that are legal in the game. Of these it plays: if
// won, the fastest way to the end, or in the placement phase a capture, else what leaves the
// opponent the fewest moves; if drawn, or lost in the placement phase, what leaves the opponent the
// fewest moves that keep the value; if lost, the longest way. Equals are drawn at random. Where
// repetition is forbidden, it looks a few plies ahead in drawn positions of the movement phase for
// who runs out of moves that keep the draw. choose() throws std::runtime_error if the game is
// another one than the solved one or if layers that the value needs are missing.
std::unique_ptr<Agent> make_perfect_agent(std::shared_ptr<const SolvedDatabase> database,
                                          const PerfectAgentSettings& settings = {});
// Why that agent cannot play on from there, as a sentence, "" if it can; a second's work at most.
std::string why_not_perfect(const std::shared_ptr<const SolvedDatabase>& database,
                            const Game& game);

}  // namespace baghzero
