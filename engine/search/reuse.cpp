// Engine mode: keeping the part of the tree that the game has walked into.
#include <algorithm>
#include <utility>

#include "engine/search/tree.h"

namespace baghzero {

using namespace search_detail;

// Moves the subtree headed by the position of `game` into an arena of at least `capacity` nodes.
// False, with nothing promised about the tree, if there is none.
bool Search::Tree::keep_subtree(const Game& game, std::uint32_t capacity) {
  if (mode_ != SearchMode::Engine || arena_.node_count() == 0) return false;
  const std::uint32_t index = find_kept_root(game);
  if (index == arena_.node_count()) return false;
  if (index != 0 || arena_.capacity() < capacity) copy_subtree(index, capacity);
  return true;
}

// Index of the node that stands for the position of `game`, or node_count() if there is none with
// edges.
std::uint32_t Search::Tree::find_kept_root(const Game& game) const {
  const std::uint32_t none = arena_.node_count();
  const auto positions = game.positions();
  if (!(game.rules() == rules_) || positions.size() < history_.size()) return none;
  if (!std::ranges::equal(history_, positions.first(history_.size()))) return none;
  std::uint32_t index = 0;
  for (Action action : game.moves().subspan(history_.size() - 1)) {
    const Node& node = arena_.node(index);
    const Edges edges = arena_.edges(node);
    const Action* place = std::find(edges.action, edges.action + node.edge_count, action);
    if (place == edges.action + node.edge_count) return none;
    index = edges.child[place - edges.action];
    if (index == 0) return none;
  }
  return arena_.node(index).edge_count > 0 ? index : none;
}

// Copies breadth first: the new arena's own nodes are the queue, and their edges still name
// children in the old one until they are reached.
void Search::Tree::copy_subtree(std::uint32_t new_root, std::uint32_t capacity) {
  spare_.reserve(std::max(capacity, arena_.capacity()));
  const auto copy = [this](std::uint32_t index) {
    const Node& from = arena_.node(index);
    const std::uint32_t copied = spare_.add_node(from.position);
    Node& to = spare_.node(copied);
    to = from;
    if (from.edge_count == 0) return copied;
    spare_.add_edges(to, from.edge_count);
    to.unproven = from.unproven;
    const Edges source = arena_.edges(from);
    const Edges target = spare_.edges(to);
    std::copy_n(source.prior, from.edge_count, target.prior);
    std::copy_n(source.visits, from.edge_count, target.visits);
    std::copy_n(source.value, from.edge_count, target.value);
    std::copy_n(source.child, from.edge_count, target.child);
    std::copy_n(source.action, from.edge_count, target.action);
    return copied;
  };
  copy(new_root);
  for (std::uint32_t done = 0; done < spare_.node_count(); ++done) {
    const int count = spare_.node(done).edge_count;
    if (count == 0) continue;
    const Edges edges = spare_.edges(spare_.node(done));
    for (int i = 0; i < count; ++i)
      if (edges.child[i] != 0) edges.child[i] = copy(edges.child[i]);
  }
  std::swap(arena_, spare_);
}

void Search::Tree::remember_history(const Game& game) {
  const auto positions = game.positions();
  history_.assign(positions.begin(), positions.end());
}

}  // namespace baghzero
