#include "engine/agents/agent.h"

namespace baghzero {
namespace {

// How little a move is liked; of several moves, one with the least dislike is drawn.
int dislike(const Position& position, Action action) {
  if (position.side_to_move() == Side::Tiger) return is_jump(action) ? 0 : 1;
  const Bitboard capturable = capturable_goats(position.after(action));
  if (capturable == 0) return 0;
  return capturable & bit(action_info(action).to) ? 2 : 1;
}

class GreedyAgent final : public Agent {
 public:
  std::string name() const override { return "greedy"; }
  void new_game(std::uint64_t seed) override { random_ = Random(seed); }
  Action choose(const Game& game) override {
    int least = 3;
    ActionList best;
    for (const Action action : game.legal()) {
      const int dislike_of_action = dislike(game.position(), action);
      if (dislike_of_action > least) continue;
      if (dislike_of_action < least) best.clear();
      least = dislike_of_action;
      best.push_back(action);
    }
    return best[static_cast<int>(random_.below(static_cast<std::uint32_t>(best.size())))];
  }

 private:
  Random random_{0};
};

}  // namespace

std::unique_ptr<Agent> make_greedy_agent() { return std::make_unique<GreedyAgent>(); }

}  // namespace baghzero
