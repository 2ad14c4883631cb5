#include "engine/agents/alphabeta.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "engine/agents/heuristic.h"

namespace baghzero {
namespace {

constexpr int kInfinity = 32'000;
// From this depth on a heuristic value from another history is good enough.
constexpr int kTrustedDepth = 3;
constexpr std::uint64_t kNodesPerLookAtTheClock = 512;
// An iteration costs a multiple of all before it; past this share of the time none is begun.
constexpr double kShareForNewIteration = 0.5;
constexpr int kHistoryLimit = 1 << 20;

int score_of_end(const Ending& ending, Side side, int ply) {
  if (ending.outcome == Outcome::Draw) return 0;
  return ending.outcome == win_for(side) ? kWinScore - ply : ply - kWinScore;
}

// Proven scores count plies from the root in the search, from the position in the table.
int to_table(int score, int ply) {
  if (!is_proven(score)) return score;
  return score > 0 ? score + ply : score - ply;
}
int from_table(int score, int ply) { return to_table(score, -ply); }

}  // namespace

TranspositionTable::TranspositionTable(std::size_t entries) : entries_(entries) {
  if (!std::has_single_bit(entries))
    throw std::invalid_argument("a transposition table needs a power of two of entries");
}

void TranspositionTable::clear() { std::ranges::fill(entries_, Entry{}); }

const TranspositionTable::Entry* TranspositionTable::find(const Position& position) const {
  const Entry& entry = entries_[position.hash() & (entries_.size() - 1)];
  return entry.bound != Bound::None && entry.key == position.key() ? &entry : nullptr;
}

void TranspositionTable::store(const Entry& entry, const Position& position) {
  entries_[position.hash() & (entries_.size() - 1)] = entry;
}

AlphaBetaSearch::AlphaBetaSearch(std::size_t table_entries) : table_(table_entries) {
  root_moves_.reserve(kMaxLegalActions);
}

void AlphaBetaSearch::clear() {
  table_.clear();
  for (auto& side : history_) side.fill(0);
}

AlphaBetaResult AlphaBetaSearch::run(const Game& game, const AlphaBetaLimits& limits,
                                     Random& random) {
  const auto begin = std::chrono::steady_clock::now();
  timed_ = limits.time_per_move.count() > 0;
  deadline_ = begin + limits.time_per_move;
  stopped_ = false;
  nodes_ = 0;
  rules_ = game.rules();
  line_.begin(game);
  for (auto& killers : killers_) killers.fill(kNoAction);
  for (auto& side : history_)
    for (int& value : side) value /= 8;

  root_moves_.clear();
  for (const Action action : game.legal()) root_moves_.push_back({action, 0});
  std::ranges::shuffle(root_moves_, random);
  AlphaBetaResult result{.action = root_moves_.front().action};
  for (int depth = 1; depth <= limits.depth; ++depth) {
    search_root(depth);
    // Of an iteration that was cut short the moves searched so far count, the old best among them.
    if (!stopped_ || root_moves_.front().score > -kInfinity) {
      result.action = root_moves_.front().action;
      result.score = root_moves_.front().score;
    }
    if (stopped_) break;
    result.depth = depth;
    if (is_proven(result.score)) break;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const std::chrono::duration<double> budget = limits.time_per_move;
    if (timed_ && spent > kShareForNewIteration * budget) break;
  }
  result.nodes = nodes_;
  return result;
}

// Leaves the best move in front; only its score is exact.
void AlphaBetaSearch::search_root(int depth) {
  int alpha = -kInfinity;
  for (RootMove& move : root_moves_) move.score = -kInfinity;
  for (std::size_t i = 0; i < root_moves_.size() && !stopped_; ++i) {
    const int score = search_child(root_moves_[i].action, depth - 1, {alpha, kInfinity}, 0, i == 0);
    if (stopped_ || score <= alpha) continue;
    alpha = score;
    root_moves_[i].score = score;
    const auto place = root_moves_.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(root_moves_.begin(), place, place + 1);
  }
}

int AlphaBetaSearch::search_child(Action action, int depth, Window window, int ply, bool first) {
  line_.push(action);
  int score = 0;
  if (first) {
    score = -search(depth, {-window.beta, -window.alpha}, ply + 1);
  } else {
    score = -search(depth, {-window.alpha - 1, -window.alpha}, ply + 1);
    if (score > window.alpha && score < window.beta && !stopped_)
      score = -search(depth, {-window.beta, -window.alpha}, ply + 1);
  }
  line_.pop();
  return score;
}

int AlphaBetaSearch::search(int depth, Window window, int ply) {
  ++nodes_;
  if (out_of_time()) return 0;
  const Side side = line_.side_to_move();
  ActionList legal;
  const Ending ending = depth == 0 ? line_.ending() : line_.look(legal);
  const int cause_outside = earliest_cause_;
  earliest_cause_ = line_.earliest_cause();
  int score = 0;
  if (ending.over()) {
    score = score_of_end(ending, side, ply);
  } else if (depth == 0) {
    score = heuristic_value(line_.position(), rules_);
  } else {
    Action first = kNoAction;
    if (!probe(depth, window, ply, score, first)) {
      score = search_moves(legal, depth, window, ply, first);
      if (stopped_) return 0;
      store(depth, window, ply, score, best_action_);
    }
  }
  earliest_cause_ = std::min(earliest_cause_, cause_outside);
  return score;
}

int AlphaBetaSearch::search_moves(const ActionList& legal, int depth, Window window, int ply,
                                  Action first) {
  std::array<int, kMaxLegalActions> order;
  std::array<Action, kMaxLegalActions> moves;
  for (int i = 0; i < legal.size(); ++i) {
    order[static_cast<std::size_t>(i)] = order_score(legal[i], ply, first);
    moves[static_cast<std::size_t>(i)] = legal[i];
  }
  int best = -kInfinity;
  Action best_action = kNoAction;
  for (int i = 0; i < legal.size(); ++i) {
    // Sorted only as far as moves are tried.
    const auto next = std::max_element(order.begin() + i, order.begin() + legal.size());
    const auto place = static_cast<std::size_t>(next - order.begin());
    std::swap(order[static_cast<std::size_t>(i)], order[place]);
    std::swap(moves[static_cast<std::size_t>(i)], moves[place]);
    const Action action = moves[static_cast<std::size_t>(i)];
    const int score = search_child(action, depth - 1, window, ply, i == 0);
    if (stopped_) return 0;
    if (score > best) {
      best = score;
      best_action = action;
    }
    window.alpha = std::max(window.alpha, best);
    if (window.alpha >= window.beta) {
      note_cutoff(action, depth, ply);
      break;
    }
  }
  best_action_ = best_action;
  return best;
}

void AlphaBetaSearch::note_cutoff(Action action, int depth, int ply) {
  auto& killers = killers_[static_cast<std::size_t>(ply)];
  if (killers[0] != action) killers = {action, killers[0]};
  int& value = history_[static_cast<std::size_t>(line_.side_to_move())][action];
  value = std::min(value + depth * depth, kHistoryLimit);
}

int AlphaBetaSearch::order_score(Action action, int ply, Action first) const {
  if (action == first) return 4 * kHistoryLimit;
  if (is_jump(action)) return 3 * kHistoryLimit;
  const auto& killers = killers_[static_cast<std::size_t>(ply)];
  if (action == killers[0]) return 2 * kHistoryLimit + 1;
  if (action == killers[1]) return 2 * kHistoryLimit;
  return history_[static_cast<std::size_t>(line_.side_to_move())][action];
}

bool AlphaBetaSearch::probe(int depth, const Window& window, int ply, int& score, Action& first) {
  const TranspositionTable::Entry* entry = table_.find(line_.position());
  if (!entry) return false;
  first = entry->best;
  if (entry->depth < depth || line_.plies_to_limit() <= entry->depth) return false;
  using Bound = TranspositionTable::Bound;
  score = from_table(entry->score, ply);
  const bool settles = entry->bound == Bound::Exact ||
                       (entry->bound == Bound::AtLeast && score >= window.beta) ||
                       (entry->bound == Bound::AtMost && score <= window.alpha);
  if (!settles) return false;
  const bool certain = !entry->by_history && line_.plies_to_repetition() > entry->depth;
  if (certain) return true;
  if (is_proven(score) || entry->depth < kTrustedDepth) return false;
  earliest_cause_ = 0;
  return true;
}

void AlphaBetaSearch::store(int depth, const Window& window, int ply, int score, Action best) {
  if (line_.plies_to_limit() <= depth) return;
  using Bound = TranspositionTable::Bound;
  const Bound bound = score >= window.beta    ? Bound::AtLeast
                      : score <= window.alpha ? Bound::AtMost
                                              : Bound::Exact;
  table_.store({.key = line_.position().key(),
                .score = static_cast<std::int16_t>(to_table(score, ply)),
                .depth = static_cast<std::uint8_t>(depth),
                .best = best,
                .bound = bound,
                .by_history = earliest_cause_ < line_.index()},
               line_.position());
}

bool AlphaBetaSearch::out_of_time() {
  if (timed_ && nodes_ % kNodesPerLookAtTheClock == 0 &&
      std::chrono::steady_clock::now() >= deadline_)
    stopped_ = true;
  return stopped_;
}

namespace {

class AlphaBetaAgent final : public Agent {
 public:
  explicit AlphaBetaAgent(const AlphaBetaLimits& limits) : limits_(limits) {
    if (limits.depth < 1 || limits.depth > AlphaBetaLimits::kMaxDepth ||
        limits.time_per_move.count() < 0)
      throw std::invalid_argument("alphabeta needs a depth from 1 to " +
                                  std::to_string(AlphaBetaLimits::kMaxDepth) +
                                  " or a time per move that is not negative");
  }
  std::string name() const override {
    const auto time = limits_.time_per_move.count();
    std::string text = "alphabeta:";
    return time > 0 ? text.append(std::to_string(time)).append("ms")
                    : text.append(std::to_string(limits_.depth));
  }
  void new_game(std::uint64_t seed) override {
    random_ = Random(seed);
    search_.clear();
  }
  Action choose(const Game& game) override {
    if (game.legal().size() == 1) return game.legal()[0];
    return search_.run(game, limits_, random_).action;
  }

 private:
  AlphaBetaLimits limits_;
  AlphaBetaSearch search_;
  Random random_{0};
};

}  // namespace

std::unique_ptr<Agent> make_alphabeta_agent(const AlphaBetaLimits& limits) {
  return std::make_unique<AlphaBetaAgent>(limits);
}

}  // namespace baghzero
