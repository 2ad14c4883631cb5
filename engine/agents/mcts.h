// Monte Carlo tree search as it was before networks: UCT (Kocsis and Szepesvari, 2006) with nearly
// random play to the end of the game, and exact values of what the tree has searched out
// (MCTS-Solver, Winands et al., 2008).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/agents/agent.h"
#include "engine/agents/game_line.h"

namespace baghzero {

struct MctsSettings {
  static constexpr int kMaxRollouts = 1'000'000;
  int rollouts = 1000;       // per move, 1..kMaxRollouts
  double exploration = 0.5;  // times sqrt(log(parent's visits) / visits), values being 0..1
};

struct MctsMove {
  Action action = kNoAction;
  int visits = 0;
  double score = 0.5;   // mean, 0..1 for the side to move
  bool proven = false;  // the score is exact: 0, 0.5 or 1
};

// All nodes lie in one arena, which grows at begin() only. One thread at a time.
class MctsSearch {
 public:
  // Throws std::invalid_argument for settings without sense.
  explicit MctsSearch(const MctsSettings& settings);
  // Memory of the arena of a search with these settings.
  static std::size_t bytes(const MctsSettings& settings) {
    return nodes_for(settings) * sizeof(Node);
  }
  // Searches an unfinished game anew; all randomness comes from `random`. Ends early once the
  // game's value is known.
  void run(const Game& game, Random& random);
  // A proven win, else the most visited move, a proven loss only if there is nothing else.
  Action best() const;
  // Every legal move, ascending by action.
  std::vector<MctsMove> moves() const;

 private:
  enum class Value : std::uint8_t { Unknown, Win, Draw, Loss };  // for the side to move at a node
  struct Node {
    float points = 0;  // sum of scores, for the side that moved here
    std::uint32_t visits = 0;
    std::uint32_t first_child = 0;
    std::uint8_t children = 0;
    Action action = kNoAction;
    Value value = Value::Unknown;
  };
  // Each simulation expands one node at most, a typical one having a dozen moves.
  static std::size_t nodes_for(const MctsSettings& settings) {
    return static_cast<std::size_t>(settings.rollouts) * 16 + 2 * kMaxLegalActions;
  }
  Value value_of(Outcome outcome) const;   // of the line's present position
  static double exact_score(Value value);  // for the side that moved to a node of that value
  Node& node(std::uint32_t index) { return nodes_[index]; }

  void simulate(Random& random);
  std::uint32_t select_child(const Node& parent) const;
  // Adds children, or finds the node's exact value; false if the arena is full.
  bool expand(std::uint32_t index);
  void update_value(Node& parent);
  // Score of nearly random play to the end, for goats.
  double roll_out(Random& random);

  MctsSettings settings_;
  GameLine line_;
  std::vector<Node> nodes_;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> path_;
};

// "mcts:1000".
std::unique_ptr<Agent> make_mcts_agent(const MctsSettings& settings);

}  // namespace baghzero
