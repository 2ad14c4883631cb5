#include "engine/agents/mcts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace baghzero {
namespace {

// Random play that does not end by itself (rules may have no limit) counts as drawn.
constexpr int kLongestRollout = 1000;
// Moves that goats look at in random play.
constexpr int kGoatLooks = 8;

Action draw(const ActionList& legal, int from, Random& random) {
  return legal[from +
               static_cast<int>(random.below(static_cast<std::uint32_t>(legal.size() - from)))];
}

// Tigers take a goat if they can; goats look at a few moves for one that leaves none to be taken.
// Goats that play quite at random lose all the time, which tells nothing about a position.
Action rollout_move(const Position& position, const ActionList& legal, Random& random) {
  if (position.side_to_move() == Side::Tiger) {
    int first_jump = legal.size();
    while (first_jump > 0 && is_jump(legal[first_jump - 1])) --first_jump;  // jumps come last
    return draw(legal, first_jump < legal.size() ? first_jump : 0, random);
  }
  Action action = kNoAction;
  for (int look = 0; look < kGoatLooks; ++look) {
    action = draw(legal, 0, random);
    if (capturable_goats(position.after(action)) == 0) break;
  }
  return action;
}

double goat_score(Outcome outcome) {
  if (outcome == Outcome::Draw) return 0.5;
  return outcome == Outcome::GoatsWin ? 1 : 0;
}

}  // namespace

MctsSearch::MctsSearch(const MctsSettings& settings) : settings_(settings) {
  if (settings.rollouts < 1 || settings.rollouts > MctsSettings::kMaxRollouts ||
      !(settings.exploration > 0))
    throw std::invalid_argument("mcts needs from 1 to " +
                                std::to_string(MctsSettings::kMaxRollouts) +
                                " rollouts and a positive exploration");
  nodes_.resize(nodes_for(settings));
  path_.reserve(kMaxLegalActions);
}

MctsSearch::Value MctsSearch::value_of(Outcome outcome) const {
  if (outcome == Outcome::Unfinished) return Value::Unknown;
  if (outcome == Outcome::Draw) return Value::Draw;
  return outcome == win_for(line_.side_to_move()) ? Value::Win : Value::Loss;
}

double MctsSearch::exact_score(Value value) {
  return value == Value::Loss ? 1 : value == Value::Win ? 0 : 0.5;
}

void MctsSearch::run(const Game& game, Random& random) {
  line_.begin(game);
  nodes_[0] = Node{};
  used_ = 1;
  expand(0);
  for (int i = 0; i < settings_.rollouts && nodes_[0].value == Value::Unknown; ++i)
    simulate(random);
}

void MctsSearch::simulate(Random& random) {
  path_.assign(1, 0);
  std::uint32_t at = 0;
  while (node(at).value == Value::Unknown && node(at).children > 0) {
    at = select_child(node(at));
    line_.push(node(at).action);
    path_.push_back(at);
  }
  // A node is expanded at its second visit: most are never visited again.
  if (node(at).value == Value::Unknown && node(at).visits > 0) expand(at);
  const Side mover = opponent(line_.side_to_move());  // moved to the node
  double for_goats = 0;
  if (node(at).value != Value::Unknown) {
    const double for_mover = exact_score(node(at).value);
    for_goats = mover == Side::Goat ? for_mover : 1 - for_mover;
  } else {
    for_goats = roll_out(random);
  }
  for (std::size_t i = path_.size(); i-- > 0;) {
    Node& visited = node(path_[i]);
    if (visited.children > 0) update_value(visited);
    const Side moved_here = opponent(line_.side_to_move());
    visited.points += static_cast<float>(moved_here == Side::Goat ? for_goats : 1 - for_goats);
    ++visited.visits;
    if (i > 0) line_.pop();
  }
}

std::uint32_t MctsSearch::select_child(const Node& parent) const {
  const double log_visits = std::log(static_cast<double>(parent.visits) + 1);
  double best_bound = -1;
  std::uint32_t best = parent.first_child;
  for (std::uint32_t i = parent.first_child; i < parent.first_child + parent.children; ++i) {
    const Node& child = nodes_[i];
    if (child.value == Value::Win) continue;  // a proven loss for the side that chooses
    if (child.visits == 0) return i;
    const double bound = child.value != Value::Unknown
                             ? exact_score(child.value)
                             : static_cast<double>(child.points) / child.visits +
                                   settings_.exploration * std::sqrt(log_visits / child.visits);
    if (bound > best_bound) {
      best_bound = bound;
      best = i;
    }
  }
  return best;
}

bool MctsSearch::expand(std::uint32_t index) {
  ActionList legal;
  const Ending ending = line_.look(legal);
  if (ending.over()) {
    node(index).value = value_of(ending.outcome);
    return true;
  }
  if (used_ + static_cast<std::size_t>(legal.size()) > nodes_.size()) return false;
  node(index).first_child = static_cast<std::uint32_t>(used_);
  node(index).children = static_cast<std::uint8_t>(legal.size());
  for (const Action action : legal) {
    Node child;
    child.action = action;
    // Ends are found when they come into view: a move that wins at once needs no simulation.
    line_.push(action);
    child.value = value_of(line_.ending().outcome);
    line_.pop();
    nodes_[used_++] = child;
  }
  update_value(node(index));
  return true;
}

void MctsSearch::update_value(Node& parent) {
  if (parent.value != Value::Unknown) return;
  bool all_known = true;
  bool draw = false;
  for (std::uint32_t i = parent.first_child; i < parent.first_child + parent.children; ++i) {
    const Value value = nodes_[i].value;
    if (value == Value::Loss) {
      parent.value = Value::Win;
      return;
    }
    all_known = all_known && value != Value::Unknown;
    draw = draw || value == Value::Draw;
  }
  if (all_known) parent.value = draw ? Value::Draw : Value::Loss;
}

double MctsSearch::roll_out(Random& random) {
  int plies = 0;
  ActionList legal;
  Ending ending = line_.look(legal);
  while (!ending.over() && plies < kLongestRollout) {
    line_.push(rollout_move(line_.position(), legal, random));
    ++plies;
    ending = line_.look(legal);
  }
  for (int i = 0; i < plies; ++i) line_.pop();
  return ending.over() ? goat_score(ending.outcome) : 0.5;
}

Action MctsSearch::best() const {
  const Node& root = nodes_[0];
  const auto rank = [this](const Node& child) {
    const int visits = static_cast<int>(child.visits);
    return child.value == Value::Loss  ? settings_.rollouts + 1
           : child.value == Value::Win ? visits - settings_.rollouts - 1
                                       : visits;
  };
  std::uint32_t best = root.first_child;
  for (std::uint32_t i = root.first_child; i < root.first_child + root.children; ++i)
    if (rank(nodes_[i]) > rank(nodes_[best])) best = i;
  return nodes_[best].action;
}

std::vector<MctsMove> MctsSearch::moves() const {
  const Node& root = nodes_[0];
  std::vector<MctsMove> moves;
  for (std::uint32_t i = root.first_child; i < root.first_child + root.children; ++i) {
    const Node& child = nodes_[i];
    MctsMove move{child.action, static_cast<int>(child.visits), 0.5, false};
    if (child.visits > 0) move.score = static_cast<double>(child.points) / child.visits;
    if (child.value != Value::Unknown) {
      move.score = exact_score(child.value);
      move.proven = true;
    }
    moves.push_back(move);
  }
  return moves;
}

namespace {

class MctsAgent final : public Agent {
 public:
  explicit MctsAgent(const MctsSettings& settings) : settings_(settings), search_(settings) {}
  std::string name() const override { return "mcts:" + std::to_string(settings_.rollouts); }
  void new_game(std::uint64_t seed) override { random_ = Random(seed); }
  Action choose(const Game& game) override {
    if (game.legal().size() == 1) return game.legal()[0];
    search_.run(game, random_);
    return search_.best();
  }

 private:
  MctsSettings settings_;
  MctsSearch search_;
  Random random_{0};
};

}  // namespace

std::unique_ptr<Agent> make_mcts_agent(const MctsSettings& settings) {
  return std::make_unique<MctsAgent>(settings);
}

}  // namespace baghzero
