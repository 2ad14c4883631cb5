// What a finished search says.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "engine/search/tree.h"

namespace baghzero {

using namespace search_detail;

Wdl Search::Tree::root_wdl() const {
  return root().is_proven() ? exact_value(root().proof) : root().mean();
}

void Search::Tree::collect_root_moves() {
  const Edges edges = arena_.edges(root());
  for (int i = 0; i < root_count(); ++i) {
    RootMove& move = root_move_storage_[i];
    move = {.action = edges.action[i],
            .visits = static_cast<std::uint32_t>(edges.visits[i]),
            .prior = root_policy_[i],
            .value = std::max(-1.0F, edges.value[i])};
    if (edges.child[i] == 0) continue;
    const Node& child = arena_.node(edges.child[i]);
    move.proof = flipped(child.proof);
    const bool timed = move.proof == Proof::Win || move.proof == Proof::Loss;
    move.proof_plies = timed ? one_ply_more(child.proof_plies) : std::uint16_t{0};
  }
  root_moves_ = {root_move_storage_.data(), static_cast<std::size_t>(root_count())};
}

Wdl Search::Tree::move_wdl(int index) const {
  const std::uint32_t child = arena_.edges(root()).child[index];
  if (child == 0) return root().evaluation;
  const Node& node = arena_.node(child);
  return (node.is_proven() ? exact_value(node.proof) : node.mean()).flipped();
}

std::vector<Action> Search::Tree::principal_variation(int index) const {
  std::vector<Action> line;
  const Node* node = &root();
  for (int edge = index; edge >= 0; edge = expected_edge(*node)) {
    const Edges edges = arena_.edges(*node);
    line.push_back(edges.action[edge]);
    if (edges.child[edge] == 0) break;
    node = &arena_.node(edges.child[edge]);
  }
  return line;
}

// The edge that the search would play at an inner node: the shortest win, the longest loss, a
// proven draw, else the most visited; -1 if none has been visited.
int Search::Tree::expected_edge(const Node& node) const {
  const Edges edges = arena_.edges(node);
  int best = -1;
  float highest = 0;
  for (int i = 0; i < node.edge_count; ++i) {
    if (edges.child[i] == 0) continue;
    const Node& child = arena_.node(edges.child[i]);
    if (node.is_proven() && flipped(child.proof) != node.proof) continue;
    float score = edges.visits[i] + edges.prior[i];
    if (node.proof == Proof::Win)
      score = 1 / (1 + static_cast<float>(child.proof_plies));
    else if (node.proof == Proof::Loss)
      score = 1 + static_cast<float>(child.proof_plies);
    else if (is_refuted(edges.value[i]))
      continue;
    if (best < 0 || score > highest) {
      highest = score;
      best = i;
    }
  }
  return best;
}

int Search::Tree::winning_index() const {
  int best = -1;
  for (int i = 0; i < root_count(); ++i)
    if (root_moves_[i].proof == Proof::Win &&
        (best < 0 || root_moves_[i].proof_plies < root_moves_[best].proof_plies))
      best = i;
  return best;
}

int Search::Tree::longest_loss_index() const {
  return static_cast<int>(std::ranges::max_element(root_moves_, {}, &RootMove::proof_plies) -
                          root_moves_.begin());
}

float Search::Tree::gumbel_score(int index, float factor, float unvisited) const {
  const Edges edges = arena_.edges(root());
  const float value = edges.visits[index] > 0 ? edges.value[index] : unvisited;
  return gumbel_logits_[index] + factor * value;
}

// The action with the most visits of this search, by score among equals.
int Search::Tree::gumbel_winner() const {
  const Edges edges = arena_.edges(root());
  const auto count = static_cast<std::size_t>(root_count());
  const std::span<const float> visits(edges.visits, count);
  const float factor = sigma_factor(visits, settings_.gumbel_c_visit, settings_.gumbel_c_scale);
  const float unvisited = mixed_value(root().evaluation.value(), {root_policy_.data(), count},
                                      visits, {edges.value, count});
  int best = -1;
  for (int i = 0; i < root_count(); ++i) {
    if (is_refuted(edges.value[i])) continue;
    if (best < 0 || gumbel_visits(i) > gumbel_visits(best) ||
        (gumbel_visits(i) == gumbel_visits(best) &&
         gumbel_score(i, factor, unvisited) > gumbel_score(best, factor, unvisited)))
      best = i;
  }
  return best;
}

int Search::Tree::best_index() const {
  assert(!root_moves_.empty());
  if (root().proof == Proof::Win) return winning_index();
  if (root().proof == Proof::Loss) return longest_loss_index();
  if (settings_.root_policy == RootPolicy::Gumbel) return gumbel_winner();
  int best = -1;
  for (int i = 0; i < root_count(); ++i) {
    const RootMove& move = root_moves_[i];
    if (move.proof == Proof::Loss) continue;
    if (best < 0 || move.visits > root_moves_[best].visits ||
        (move.visits == root_moves_[best].visits && move.prior > root_moves_[best].prior))
      best = i;
  }
  return best;
}

Action Search::Tree::best_action() const { return root_moves_[best_index()].action; }

Action Search::Tree::sample_action(float temperature, Random& random) const {
  if (temperature <= 0 || root().proof == Proof::Win || root().proof == Proof::Loss ||
      settings_.root_policy == RootPolicy::Gumbel)
    return best_action();
  std::array<float, kMaxLegalActions> weights;
  const std::span<float> shares = std::span(weights).first(root_moves_.size());
  play_weights(shares);
  const float largest = *std::ranges::max_element(shares);
  float sum = 0;
  for (float& share : shares)
    sum += share = share > 0 ? std::pow(share / largest, 1 / temperature) : 0.0F;
  const float drawn = static_cast<float>(random.uniform()) * sum;
  float reached = 0;
  int last = 0;
  for (int i = 0; i < root_count(); ++i) {
    if (shares[i] <= 0) continue;
    last = i;
    reached += shares[i];
    if (drawn < reached) break;
  }
  return root_moves_[last].action;
}

void Search::Tree::policy_target(std::span<float> target) const {
  assert(target.size() == root_moves_.size());
  if (root().proof == Proof::Win || root().proof == Proof::Loss) {
    std::ranges::fill(target, 0.0F);
    target[best_index()] = 1;
    return;
  }
  play_weights(target);
  const float sum = std::accumulate(target.begin(), target.end(), 0.0F);
  for (float& share : target) share /= sum;
}

// Unnormalised preference for each root move that is not lost; at least one is positive.
void Search::Tree::play_weights(std::span<float> weights) const {
  const Edges edges = arena_.edges(root());
  const auto count = static_cast<std::size_t>(root_count());
  if (settings_.root_policy == RootPolicy::Gumbel) {
    improved_policy(root().evaluation.value(), settings_.gumbel_c_visit, settings_.gumbel_c_scale,
                    {root_policy_.data(), count}, {edges.visits, count}, {edges.value, count},
                    weights);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      weights[i] = is_refuted(edges.value[i]) ? 0 : edges.visits[i];
    if (explores() && settings_.forced_playouts > 0) prune_forced(weights);
  }
  if (std::ranges::any_of(weights, [](float weight) { return weight > 0; })) return;
  // No move that is left has been visited: the policy decides, or nothing does.
  for (std::size_t i = 0; i < count; ++i)
    weights[i] = is_refuted(edges.value[i]) ? 0 : root_policy_[i];
  if (std::ranges::any_of(weights, [](float weight) { return weight > 0; })) return;
  for (std::size_t i = 0; i < count; ++i) weights[i] = is_refuted(edges.value[i]) ? 0.0F : 1.0F;
}

// KataGo 2019, 3.2: takes back up to the forced visits of every move but the most visited, as long
// as PUCT would still not prefer it to that one; what is left of a single visit is dropped.
void Search::Tree::prune_forced(std::span<float> weights) const {
  const auto best = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
  if (weights[best] <= 0) return;
  const Edges edges = arena_.edges(root());
  const float exploration = exploration_(root().visits);
  const auto total = static_cast<float>(root().visits - 1);
  const float bar =
      puct_score(edges.value[best], edges.prior[best], edges.visits[best], exploration);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i == best || weights[i] <= 0) continue;
    const float gap = bar - edges.value[i];
    if (gap <= 0) continue;
    const float needed = std::ceil(edges.prior[i] * exploration / gap - 1);
    const float forced =
        std::floor(forced_visits(settings_.forced_playouts, edges.prior[i], total));
    weights[i] = std::min(weights[i], std::max(needed, weights[i] - forced));
    if (weights[i] <= 1) weights[i] = 0;
  }
}

}  // namespace baghzero
