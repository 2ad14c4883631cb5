#include "engine/agents/perfect_agent.h"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "engine/agents/game_line.h"
#include "engine/solver/probe.h"

namespace baghzero {
namespace {

constexpr std::string_view kOtherGame =
    "the agent perfect plays games with 20 goats that five captures win, and no others";

class PerfectAgent final : public Agent {
 public:
  PerfectAgent(std::shared_ptr<const SolvedDatabase> database, const PerfectAgentSettings& settings)
      : probe_(std::move(database)), settings_(settings) {}

  std::string name() const override { return "perfect"; }
  void new_game(std::uint64_t seed) override { random_ = Random(seed); }

  Action choose(const Game& game) override {
    if (!is_solved_game(game.rules())) throw std::runtime_error(std::string(kOtherGame));
    if (game.legal().size() == 1) return game.legal()[0];
    ActionList keeping = value_keeping(game);
    if (rank_ == 0 && !game.position().in_placement() &&
        game.rules().repetition == Repetition::Forbidden)
      keeping = not_driven_out(game, keeping);
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
      throw std::runtime_error("the agent perfect does not know this position: " +
                               missing_layers(probe_.database()));
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

  // Of moves that keep a draw, by a short search: those after which the opponent has to give it up
  // soonest; else those after which this side does not have to, or has to latest.
  ActionList not_driven_out(const Game& game, const ActionList& keeping) {
    constexpr int kDeepest = 12;  // plies
    constexpr int kPositions = 400;
    std::array<int, kMaxLegalActions> results{};
    const std::span<int> of_keeping(results.data(), static_cast<std::size_t>(keeping.size()));
    positions_left_ = kPositions;
    line_.begin(game);
    int best = 0;
    for (int depth = 1; best == 0 && depth <= kDeepest && positions_left_ > 0; ++depth) {
      for (int i = 0; i < keeping.size(); ++i)
        if (results[i] == 0)
          results[i] = -forced_after(keeping[i], depth - 1) * (kDeepest + 1 - depth);
      best = std::ranges::max(of_keeping);
    }
    ActionList chosen;
    for (int i = 0; i < keeping.size(); ++i)
      if (results[i] == best) chosen.push_back(keeping[i]);
    return chosen;
  }

  int forced_after(Action action, int depth) {
    line_.push(action);
    const int result = forced(depth);
    line_.pop();
    return result;
  }

  // In a drawn position of line_: 1 if within `depth` plies of moves that keep the draw the
  // opponent has none left that may be played, or has erred; -1 if that happens to the side to
  // move; else 0.
  int forced(int depth) {
    ActionList legal;
    const Ending ending = line_.look(legal);
    const Side side = line_.side_to_move();
    if (ending.over()) return rank_for(side, ending.outcome);
    ActionList keeping;
    for (const Action action : legal) {
      const int rank = rank_for(side, value(line_.position().after(action)).outcome);
      if (rank > 0) return 1;
      if (rank == 0) keeping.push_back(action);
    }
    if (keeping.empty()) return -1;
    if (depth == 0 || --positions_left_ <= 0) return 0;
    int best = -1;
    for (const Action action : keeping) {
      best = std::max(best, -forced_after(action, depth - 1));
      if (best > 0) break;
    }
    return best;
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
  GameLine line_;
  int positions_left_ = 0;
};

}  // namespace

std::unique_ptr<Agent> make_perfect_agent(std::shared_ptr<const SolvedDatabase> database,
                                          const PerfectAgentSettings& settings) {
  return std::make_unique<PerfectAgent>(std::move(database), settings);
}

std::string why_not_perfect(const std::shared_ptr<const SolvedDatabase>& database,
                            const Game& game) {
  if (!is_solved_game(game.rules())) return std::string(kOtherGame);
  if (SolvedProbe(database).value(game.position())) return "";
  return "the agent perfect needs the solved game from the first moves on, but " +
         missing_layers(*database);
}

}  // namespace baghzero
