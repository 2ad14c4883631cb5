// Backing up: results and proofs travel from a leaf to the root.
#include <algorithm>
#include <cassert>

#include "engine/search/tree.h"

namespace baghzero {

using namespace search_detail;

// `value`, for the side to move at `leaf`, has been counted there; counts it in every step of the
// path that is left.
void Search::Tree::back_up(const Node& leaf, Wdl value) {
  const Node* child = &leaf;
  while (depth_ > 0) {
    const auto [node, edge] = path_[--depth_];
    const Edges edges = arena_.edges(*node);
    value = value.flipped();
    node->add(value);
    edges.visits[edge] += 1;
    edges.value[edge] = child->sum.flipped().value() / child->weight;
    child = node;
  }
}

// `leaf` has just been proven. Settles its edge, and so on upwards as long as parents are proven by
// it; the rest of the path gets the last settled node's new value as an ordinary result.
void Search::Tree::back_up_proof(const Node& leaf) {
  const Node* child = &leaf;
  while (child->is_proven() && depth_ > 0) {
    const auto [node, edge] = path_[--depth_];
    ++node->visits;
    arena_.edges(*node).visits[edge] += 1;
    settle_edge(*node, edge, *child);
    child = node;
  }
  if (!child->is_proven()) back_up(*child, child->mean());
}

// The child below `edge` has a proof: draws the conclusions for `node`.
void Search::Tree::settle_edge(Node& node, int edge, const Node& child) {
  const Edges edges = arena_.edges(node);
  const Proof result = flipped(child.proof);
  edges.value[edge] = result == Proof::Loss ? kRefuted : exact_value(result).value();
  assert(node.unproven > 0);
  --node.unproven;
  if (result == Proof::Win) {
    prove(node, Proof::Win, one_ply_more(child.proof_plies));
    return;
  }
  if (node.unproven > 0) {
    recompute(node);
    return;
  }
  bool draw = false;
  std::uint16_t longest = 0;
  for (int i = 0; i < node.edge_count; ++i) {
    const Node& other = arena_.node(edges.child[i]);
    if (other.proof == Proof::Draw) draw = true;
    longest = std::max(longest, other.proof_plies);
  }
  prove(node, draw ? Proof::Draw : Proof::Loss, draw ? std::uint16_t{0} : one_ply_more(longest));
}

void Search::Tree::prove(Node& node, Proof proof, std::uint16_t plies) {
  const Wdl value = exact_value(proof);
  node.proof = proof;
  node.proof_plies = plies;
  node.weight = static_cast<float>(node.visits);
  node.sum = {value.win * node.weight, value.draw * node.weight, value.loss * node.weight};
}

// The node's value from what its edges are worth now: refuted ones no longer speak for it, since
// its side will not go there, and proven draws count as just that.
void Search::Tree::recompute(Node& node) {
  const Edges edges = arena_.edges(node);
  node.sum = node.evaluation;
  node.weight = 1;
  for (int i = 0; i < node.edge_count; ++i) {
    if (edges.child[i] == 0 || is_refuted(edges.value[i])) continue;
    const Wdl value = arena_.node(edges.child[i]).mean().flipped();
    const float visits = edges.visits[i];
    node.sum.win += visits * value.win;
    node.sum.draw += visits * value.draw;
    node.sum.loss += visits * value.loss;
    node.weight += visits;
  }
}

}  // namespace baghzero
