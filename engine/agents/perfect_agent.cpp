#include "engine/agents/perfect_agent.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/solver/probe.h"

namespace baghzero {
namespace {

class PerfectAgent final : public Agent {
 public:
  PerfectAgent(std::shared_ptr<const SolvedDatabase> database, const PerfectAgentSettings& settings)
      : probe_(std::move(database)), settings_(settings) {}

  std::string name() const override { return "perfect"; }
  void new_game(std::uint64_t seed) override { random_ = Random(seed); }

  Action choose(const Game& game) override {
    if (!is_solved_game(game.rules()))
      throw std::runtime_error(
          "the agent perfect plays games with 20 goats that five captures win, and no others");
    if (game.legal().size() == 1) return game.legal()[0];
    const ActionList keeping = value_keeping(game);
    if (settings_.random || keeping.size() == 1) return any_of(keeping);
    ActionList best;
    int least = 0;
    for (const Action action : keeping) {
      const int cost = cost_of(game.position(), action);
      if (!best.empty() && cost > least) continue;
      if (!best.empty() && cost < least) best.clear();
      least = cost;
      best.push_back(action);
    }
    return any_of(best);
  }

 private:
  Action any_of(const ActionList& actions) {
    return actions[static_cast<int>(random_.below(static_cast<std::uint32_t>(actions.size())))];
  }

  SolvedValue value(const Position& position) {
    const auto known = probe_.value(position);
    if (!known)
      throw std::runtime_error(
          "the agent perfect does not know this position: layers of the placement phase are "
          "missing; `baghzero solve` makes them");
    return *known;
  }

  // The legal moves with the best value for the side to move; sets rank_.
  ActionList value_keeping(const Game& game) {
    const Side side = game.side_to_move();
    ActionList keeping;
    for (const Action action : game.legal()) {
      const int rank = rank_for(side, value(game.position().after(action)).outcome);
      if (!keeping.empty() && rank < rank_) continue;
      if (keeping.empty() || rank > rank_) keeping.clear();
      rank_ = rank;
      keeping.push_back(action);
    }
    return keeping;
  }

  // How little a move that keeps the value rank_ is liked.
  int cost_of(const Position& position, Action action) {
    const Position next = position.after(action);
    const SolvedValue after = value(next);
    if (after.plies >= 0) return rank_ > 0 ? after.plies : -after.plies;
    if (rank_ > 0) {
      constexpr int kNotCapturing = 1000;  // more than any plies or moves
      return (is_jump(action) ? 1 : 2) * kNotCapturing + count_board_legal_actions(next);
    }
    return keeping_replies(next);
  }

  int keeping_replies(const Position& next) {
    int replies = 0;
    for (const Action reply : board_legal_actions(next)) {
      // The reply keeps the value if it leaves this side no more than it has now.
      const auto more = probe_.reaches(next.after(reply), rank_ + 1);
      replies += !more.value_or(false);
    }
    return replies;
  }

  SolvedProbe probe_;
  PerfectAgentSettings settings_;
  Random random_{0};
  int rank_ = 0;
};

}  // namespace

std::unique_ptr<Agent> make_perfect_agent(std::shared_ptr<const SolvedDatabase> database,
                                          const PerfectAgentSettings& settings) {
  return std::make_unique<PerfectAgent>(std::move(database), settings);
}

}  // namespace baghzero
