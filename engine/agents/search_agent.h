// An agent that searches with an evaluator, one game at a time: for play outside batched matches.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "engine/agents/agent.h"
#include "engine/evaluation.h"
#include "engine/search/settings.h"

namespace baghzero {

struct SearchAgentSettings {
  SearchSettings search = {};
  int visits = 64;  // 0: the bare policy, without search
  // If positive, a move is searched for so long instead, and `visits` does not count.
  std::chrono::milliseconds time_per_move{};
  // For the first temperature_plies plies of a game from where the agent is first asked for a move,
  // so that the plies of an opening do not count.
  double temperature = 0;
  int temperature_plies = 0;
};

// Searches in Match mode: no noise, the tree is new for every move. The only legal move is played
// without a search. Throws std::invalid_argument if `evaluator` is null or a setting makes no
// sense.
std::unique_ptr<Agent> make_search_agent(std::string name, std::unique_ptr<Evaluator> evaluator,
                                         const SearchAgentSettings& settings);

// The move of a bare policy: the most probable one (the first of equals) at temperature 0, else one
// drawn with probability ~ policy^(1/temperature).
Action policy_action(const Query& query, const Evaluation& evaluation, double temperature,
                     Random& random);

}  // namespace baghzero
