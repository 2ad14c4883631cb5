// Players: anything that chooses a move in a game.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/game.h"
#include "engine/random.h"

namespace baghzero {

// Used by one thread at a time.
class Agent {
 public:
  virtual ~Agent() = default;
  virtual std::string name() const = 0;
  // Called before the first move of every game; all randomness of that game comes from `seed`.
  virtual void new_game(std::uint64_t seed) = 0;
  // A legal action; the game is not over.
  virtual Action choose(const Game& game) = 0;
};

// Uniformly random legal moves.
std::unique_ptr<Agent> make_random_agent();
// Tigers: capture if possible, else random. Goats: never move to where the moved goat or any other
// can be taken if a move avoids it, else random.
std::unique_ptr<Agent> make_greedy_agent();

}  // namespace baghzero
