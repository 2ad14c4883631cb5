#include "engine/agents/agent.h"

namespace baghzero {
namespace {

class RandomAgent final : public Agent {
 public:
  std::string name() const override { return "random"; }
  void new_game(std::uint64_t seed) override { random_ = Random(seed); }
  Action choose(const Game& game) override {
    const ActionList& legal = game.legal();
    return legal[static_cast<int>(random_.below(static_cast<std::uint32_t>(legal.size())))];
  }

 private:
  Random random_{0};
};

}  // namespace

std::unique_ptr<Agent> make_random_agent() { return std::make_unique<RandomAgent>(); }

}  // namespace baghzero
