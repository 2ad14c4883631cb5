// Players: anything that chooses a move in a game.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "engine/game.h"
#include "engine/random.h"

namespace baghzero {

// Thrown by choose() of an agent that can play no move for a reason outside the game, such as the
// end of the program behind it: it loses this game, and others go on. what() says why, as the end
// of a sentence.
class Forfeit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown by choose() of an agent that waits for something outside this program, when it was asked
// to stop. No move was chosen, and nothing is wrong: no std::runtime_error, which would be taken
// for a failure.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Used by one thread at a time.
class Agent {
 public:
  virtual ~Agent() = default;
  virtual std::string name() const = 0;
  // Called before the first move of every game; all randomness of that game comes from `seed`.
  virtual void new_game(std::uint64_t seed) = 0;
  // A legal action; the game is not over.
  virtual Action choose(const Game& game) = 0;
  // Lets `stopped` be asked now and then, in the thread of choose(), while that waits for something
  // outside this program. For agents that never do, it means nothing.
  virtual void interrupt_when(const std::function<bool()>& stopped) { static_cast<void>(stopped); }
};

// Uniformly random legal moves.
std::unique_ptr<Agent> make_random_agent();
// Tigers: a capture if there is one, else a random move. Goats: a move after which no goat can be
// taken, else one after which the goat that moved cannot, else a random move.
std::unique_ptr<Agent> make_greedy_agent();

}  // namespace baghzero
