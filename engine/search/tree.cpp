#include "engine/search/tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/search/immediate_win.h"
#include "engine/search/root_noise.h"
#include "engine/solver/movement.h"

namespace baghzero {

using namespace search_detail;

Search::Tree::Tree(const SearchSettings& settings, SearchMode mode)
    : settings_(settings), mode_(mode), exploration_(settings) {
  check_search_settings(settings);
  if (settings.solver && !settings.solved)
    throw std::invalid_argument("search.solver needs the solved movement phase (solver.db)");
}

void Search::Tree::begin(const Game& game, const SearchLimits& limits, std::uint64_t seed) {
  if (game.over())
    throw std::invalid_argument("the game is over; a search needs a position with a legal move");
  limits_ = limits;
  limits_.visits = std::clamp(limits.visits, 1U, kMaxVisits);
  random_ = Random(seed);
  waiting_ = false;
  root_moves_ = {};
  for (Flight& flight : flights_) flight.aloft = false;
  aloft_ = 0;

  const std::uint32_t capacity = std::min(limits_.visits, settings_.max_nodes);
  if (!keep_subtree(game, capacity)) arena_.reserve(capacity);
  if (path_capacity_ < arena_.capacity()) {
    path_ = std::make_unique_for_overwrite<PathStep[]>(arena_.capacity());
    path_capacity_ = arena_.capacity();
  }
  exploration_.prepare(limits_.visits);

  rules_ = game.rules();
  root_plies_ = game.plies();
  solved_ = settings_.solver && is_solved_game(rules_) ? settings_.solved.get() : nullptr;
  constexpr int kUsualWindow = 1024;  // longer ones grow when they occur
  const int longest = std::min({rules_.no_capture_limit, rules_.max_plies, kUsualWindow});
  window_.assign(
      rules_.repetition == Repetition::Off ? std::span<const Position>{} : game.repetition_window(),
      static_cast<std::size_t>(longest) + 1);
  if (mode_ == SearchMode::Engine) remember_history(game);

  if (arena_.node_count() > 0) {
    prepare_root();
  } else {
    leaf_ = make_query(game);
    leaf_quiet_plies_ = static_cast<std::uint32_t>(game.plies_without_capture());
    waiting_ = true;
  }
}

SearchStatus Search::Tree::advance() {
  while (!waiting_) {
    if (finished()) {
      collect_root_moves();
      return SearchStatus::Done;
    }
    visit_selected(select_path());
  }
  return SearchStatus::NeedsEvaluation;
}

// Ends the simulation whose way is in path_: at the proven node it led to, or at a new leaf, which
// the rules prove or leave to be evaluated.
void Search::Tree::visit_selected(Node* known) {
  if (known) {
    known->add(exact_value(known->proof));
    back_up(*known, exact_value(known->proof));
    return;
  }
  const PathStep& last = path_[depth_ - 1];
  const Verdict verdict = open_leaf(*last.node, arena_.edges(*last.node).action[last.edge]);
  if (verdict.proof == Proof::None) {
    waiting_ = true;
    return;
  }
  Node& leaf = add_leaf(exact_value(verdict.proof));
  prove(leaf, verdict.proof, verdict.plies);
  back_up_proof(leaf);
}

void Search::Tree::supply(const Evaluation& evaluation) {
  assert(waiting_);
  waiting_ = false;
  const bool is_root = arena_.node_count() == 0;
  if (is_root) depth_ = 0;
  Node& node = add_leaf(evaluation.wdl);
  const int count = leaf_.legal.size();
  arena_.add_edges(node, count);
  const Edges edges = arena_.edges(node);
  std::copy_n(evaluation.policy.begin(), count, edges.prior);
  std::copy_n(leaf_.legal.begin(), count, edges.action);
  if (is_root)
    prepare_root();
  else
    back_up(node, evaluation.wdl);
}

void Search::Tree::stop() { limits_.visits = arena_.node_count() > 0 ? root().visits : 1; }

void Search::Tree::prefetch_state() const {
  constexpr std::ptrdiff_t kCacheLine = 64;
  const auto* const end = reinterpret_cast<const std::byte*>(&root_policy_);
  for (const auto* line = reinterpret_cast<const std::byte*>(this); line < end; line += kCacheLine)
    __builtin_prefetch(line, 1);
}

void Search::Tree::prefetch_path() const {
  arena_.prefetch_next();
  for (std::uint32_t step = 0; step < depth_; ++step) arena_.prefetch_edges(*path_[step].node);
}

bool Search::Tree::finished() const {
  return root().is_proven() || root_count() == 1 || root().visits >= limits_.visits ||
         arena_.full();
}

// The root has been evaluated, now or by an earlier search.
void Search::Tree::prepare_root() {
  const Node& node = root();
  const Edges edges = arena_.edges(node);
  const auto count = static_cast<std::size_t>(node.edge_count);
  const std::span<float> prior(edges.prior, count);
  std::ranges::copy(prior, root_policy_.begin());
  std::copy_n(edges.visits, count, base_visits_.begin());

  if (settings_.root_policy == RootPolicy::Gumbel) {
    for (std::size_t i = 0; i < count; ++i) {
      const float noise = explores() ? static_cast<float>(sample_gumbel(random_)) : 0.0F;
      gumbel_logits_[i] = noise + std::log(std::max(prior[i], std::numeric_limits<float>::min()));
    }
    const std::uint32_t left = limits_.visits - std::min(limits_.visits, node.visits);
    halving_.begin(std::min(settings_.gumbel_actions, static_cast<int>(count)), left);
  } else if (explores()) {
    flatten_policy(prior, settings_.root_policy_temperature);
    add_dirichlet_noise(prior, settings_.noise_weight, settings_.noise_alpha_total, random_);
  }

  // A win in one move needs no search, however little the policy thinks of it; nor does a known
  // one.
  if (finished() || node.visits > 1) return;
  const int win = winning_root_edge();
  if (win < 0) return;
  path_[0] = {&root(), win};
  depth_ = 1;
  const Verdict verdict = open_leaf(node, edges.action[win]);
  assert(verdict.proof == Proof::Loss);
  Node& leaf = add_leaf(exact_value(verdict.proof));
  prove(leaf, verdict.proof, verdict.plies);
  back_up_proof(leaf);
}

// The root's edge that wins at once or, as far as the solved game tells, soonest; -1 if none is
// known.
int Search::Tree::winning_root_edge() {
  const Node& node = root();
  const Edges edges = arena_.edges(node);
  ActionList legal;
  for (int i = 0; i < node.edge_count; ++i) legal.push_back(edges.action[i]);
  int win = immediate_win(node.position, legal, rules_);
  if (win >= 0 || !solved_ || node.position.goats_in_hand() > 1) return win;
  depth_ = 1;
  std::uint16_t soonest = 0;
  for (int i = 0; i < node.edge_count; ++i) {
    path_[0] = {&root(), i};
    const Verdict verdict = open_leaf(node, edges.action[i]);
    if (verdict.proof != Proof::Loss || (win >= 0 && verdict.plies >= soonest)) continue;
    win = i;
    soonest = verdict.plies;
  }
  return win;
}

// Walks from the root to an edge without a child and returns null, or to a proven child and returns
// it. path_ holds the way.
Search::Tree::Node* Search::Tree::select_path() {
  Node* node = &root();
  int edge = select_root_edge();
  depth_ = 0;
  for (;;) {
    path_[depth_++] = {node, edge};
    const std::uint32_t child = arena_.edges(*node).child[edge];
    if (child == 0) return nullptr;
    node = &arena_.node(child);
    if (node->is_proven()) return node;
    edge = select_edge(*node, arena_.edges(*node));
  }
}

int Search::Tree::select_edge(const Node& node, const Edges& edges) const {
  if (settings_.root_policy == RootPolicy::Puct)
    return select_puct(edges, exploration_(node.visits),
                       first_play_urgency(node, settings_.fpu_reduction));
  const auto count = static_cast<std::size_t>(node.edge_count);
  return select_by_improved_policy(node.evaluation.value(), settings_.gumbel_c_visit,
                                   settings_.gumbel_c_scale, {edges.prior, count},
                                   {edges.visits, count}, {edges.value, count});
}

int Search::Tree::select_root_edge() {
  if (settings_.root_policy == RootPolicy::Gumbel) return select_gumbel_root();
  const Edges edges = arena_.edges(root());
  if (explores() && settings_.forced_playouts > 0) {
    const int forced = select_forced(edges, root_count(), settings_.forced_playouts,
                                     static_cast<float>(root().visits - 1));
    if (forced >= 0) return forced;
  }
  return select_puct(edges, exploration_(root().visits),
                     first_play_urgency(root(), settings_.root_fpu_reduction));
}

int Search::Tree::select_gumbel_root() {
  const Edges edges = arena_.edges(root());
  const auto count = static_cast<std::size_t>(root_count());
  const std::span<const float> visits(edges.visits, count);
  const float factor = sigma_factor(visits, settings_.gumbel_c_visit, settings_.gumbel_c_scale);
  const float unvisited = mixed_value(root().evaluation.value(), {root_policy_.data(), count},
                                      visits, {edges.value, count});
  // The best candidate among those with `level` visits, or among all if there is no level.
  const auto best_of = [&](const std::uint32_t* level) {
    int best = -1;
    float highest = -std::numeric_limits<float>::infinity();
    for (int i = 0; i < root_count(); ++i) {
      if (is_refuted(edges.value[i])) continue;
      if (level && gumbel_visits(i) != static_cast<float>(*level)) continue;
      const float score = gumbel_score(i, factor, unvisited);
      if (best < 0 || score > highest) {
        highest = score;
        best = i;
      }
    }
    return best;
  };
  float most = 0;
  for (int i = 0; i < root_count(); ++i)
    if (!is_refuted(edges.value[i])) most = std::max(most, gumbel_visits(i));

  // Levels run empty when their candidates are refuted; beyond `most` all considered ones have
  // been.
  for (; static_cast<float>(halving_.level()) <= most; halving_.end_level()) {
    const std::uint32_t level = halving_.level();
    const int best = best_of(&level);
    if (best < 0) continue;
    halving_.count_visit();
    return best;
  }
  return best_of(nullptr);
}

Search::Tree::Verdict Search::Tree::verdict_of(const SolvedValue& value, Side side) {
  if (value.outcome == Outcome::Draw) return {Proof::Draw, 0};
  return {value.outcome == win_for(side) ? Proof::Win : Proof::Loss,
          static_cast<std::uint16_t>(value.plies)};
}

// Sets leaf_ to the position after `action` and applies the rules in their order (see Game).
Search::Tree::Verdict Search::Tree::open_leaf(const Node& parent, Action action) {
  leaf_.position = parent.position.after(action);
  const Position& position = leaf_.position;
  const bool jump = is_jump(action);
  leaf_quiet_plies_ = jump || parent.position.in_placement() ? 0 : parent.quiet_plies + 1;

  if (position.captured() >= rules_.captures_to_win) return {Proof::Loss, 0};
  board_legal_actions(position, leaf_.legal);
  if (rules_.repetition == Repetition::Forbidden && leaf_quiet_plies_ > 0) remove_barred();
  if (leaf_.legal.empty()) return {Proof::Loss, 0};

  if (rules_.repetition == Repetition::Threefold && leaf_quiet_plies_ > 0 && occurrences() >= 3)
    return {Proof::Draw, 0};
  const int plies = root_plies_ + static_cast<int>(depth_);
  const int until_no_capture = position.in_placement()
                                   ? kLimitHorizon
                                   : rules_.no_capture_limit - static_cast<int>(leaf_quiet_plies_);
  const int until_limit = std::min(until_no_capture, rules_.max_plies - plies);
  if (until_limit <= 0) return {Proof::Draw, 0};
  if (immediate_win(position, leaf_.legal, rules_) >= 0) return {Proof::Win, 1};
  if (solved_ && !position.in_placement())
    if (const auto value = value_in_game(*solved_, position, rules_, until_limit))
      return verdict_of(*value, position.side_to_move());
  leaf_.limit_proximity = limit_proximity(until_limit);
  return {};
}

// Bars the moves that would bring back a situation of the path or of the game. The root belongs to
// the game's window, which matters unless a capture lies between.
void Search::Tree::remove_barred() {
  const Position& position = leaf_.position;
  const std::uint32_t steps = std::min(depth_ - 1, leaf_quiet_plies_);
  // One move cannot undo the last two, which belong to both sides.
  for (std::uint32_t back = 3; back <= steps; ++back) {
    const Position& earlier = path_[depth_ - back].node->position;
    const Action action =
        step_between(position.side_to_move(), position.situation(), earlier.situation());
    if (action != kNoAction) remove_action(leaf_.legal, action);
  }
  if (leaf_quiet_plies_ >= depth_) remove_barred_by_window(window_, position, leaf_.legal);
}

// How often the leaf's situation has occurred, the leaf included.
int Search::Tree::occurrences() const {
  int count = 1;
  const std::uint32_t steps = std::min(depth_ - 1, leaf_quiet_plies_);
  for (std::uint32_t back = 1; back <= steps; ++back)
    if (path_[depth_ - back].node->position.situation() == leaf_.position.situation()) ++count;
  if (leaf_quiet_plies_ >= depth_) count += occurrences_in_window(window_, leaf_.position);
  return count;
}

// Makes a node of leaf_, below the last step of the path if there is one, and counts `value` in it.
Search::Tree::Node& Search::Tree::add_leaf(const Wdl& value) {
  const std::uint32_t index = arena_.add_node(leaf_.position);
  Node& leaf = arena_.node(index);
  leaf.quiet_plies = leaf_quiet_plies_;
  leaf.evaluation = value;
  leaf.add(value);
  if (depth_ > 0) {
    const PathStep& last = path_[depth_ - 1];
    const Edges edges = arena_.edges(*last.node);
    edges.child[last.edge] = index;
    last.node->visited_prior += edges.prior[last.edge];
  }
  return leaf;
}

}  // namespace baghzero
