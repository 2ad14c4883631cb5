// Several leaves of one tree in flight at once. The tree itself holds finished simulations only:
// what is in the air is counted while a way is chosen, and taken out again at every step.
#include <algorithm>
#include <stdexcept>

#include "engine/search/tree.h"

namespace baghzero {

using namespace search_detail;

Search::Tree::Flight& Search::Tree::flight_at(int index) {
  if (mode_ != SearchMode::Engine || settings_.root_policy != RootPolicy::Puct)
    throw std::logic_error("leaves in flight side by side need a search in engine mode with PUCT");
  const auto place = static_cast<std::size_t>(index);
  while (flights_.size() <= place) flights_.emplace_back();
  return flights_[place];
}

SearchStatus Search::Tree::advance(int index) {
  Flight& flight = flight_at(index);
  if (flight.aloft) return SearchStatus::NeedsEvaluation;
  if (waiting_) return take_off(flight);                       // the root
  if (arena_.node_count() == 0) return SearchStatus::Waiting;  // another flight has it
  while (!waiting_) {
    if (finished_with_flights()) {
      if (aloft_ > 0 && !finished()) return SearchStatus::Waiting;
      collect_root_moves();
      return SearchStatus::Done;
    }
    Node* const known = select_path_around_flights();
    // Virtual losses must not drive visits, which cost nothing there, into proven draws.
    if (aloft_ > 0 && (known || last_step_is_aloft())) return SearchStatus::Waiting;
    visit_selected(known);
  }
  return take_off(flight);
}

SearchStatus Search::Tree::take_off(Flight& flight) {
  waiting_ = false;
  flight.path.assign(path_.get(), path_.get() + (arena_.node_count() == 0 ? 0 : depth_));
  flight.leaf = leaf_;
  flight.leaf_quiet_plies = leaf_quiet_plies_;
  flight.aloft = true;
  ++aloft_;
  return SearchStatus::NeedsEvaluation;
}

void Search::Tree::supply(int index, const Evaluation& evaluation) {
  Flight& flight = flight_at(index);
  if (!flight.aloft) return;
  flight.aloft = false;
  --aloft_;
  // What a proof has meanwhile cut off is of no use any more, and the proof's values are final.
  if (std::ranges::any_of(flight.path, [](const PathStep& s) { return s.node->is_proven(); }))
    return;
  std::ranges::copy(flight.path, path_.get());
  depth_ = static_cast<std::uint32_t>(flight.path.size());
  leaf_ = flight.leaf;
  leaf_quiet_plies_ = flight.leaf_quiet_plies;
  waiting_ = true;
  supply(evaluation);
}

bool Search::Tree::update_results() {
  if (arena_.node_count() == 0) return false;
  collect_root_moves();
  return true;
}

bool Search::Tree::finished_with_flights() const {
  return finished() || root().visits + aloft_ >= limits_.visits || arena_.full(aloft_);
}

Search::Tree::Node* Search::Tree::select_path_around_flights() {
  Node* node = &root();
  depth_ = 0;
  for (;;) {
    const int edge = select_around_flights(*node);
    path_[depth_++] = {node, edge};
    const std::uint32_t child = arena_.edges(*node).child[edge];
    if (child == 0) return nullptr;
    node = &arena_.node(child);
    if (node->is_proven()) return node;
  }
}

// Selects as if every flight that passes `node` had been lost.
int Search::Tree::select_around_flights(Node& node) {
  virtual_losses_.clear();
  const Edges edges = arena_.edges(node);
  for (const Flight& flight : flights_) {
    if (!flight.aloft || flight.path.size() <= depth_ || flight.path[depth_].node != &node)
      continue;
    const int edge = flight.path[depth_].edge;
    float& visits = edges.visits[edge];
    float& value = edges.value[edge];
    if (is_refuted(value)) continue;
    virtual_losses_.push_back({edge, visits, value});
    value = (value * visits - 1) / (visits + 1);
    visits += 1;
  }
  node.visits += static_cast<std::uint32_t>(virtual_losses_.size());
  const int selected = depth_ == 0 ? select_root_edge() : select_edge(node, edges);
  node.visits -= static_cast<std::uint32_t>(virtual_losses_.size());
  for (std::size_t i = virtual_losses_.size(); i-- > 0;) {
    edges.visits[virtual_losses_[i].edge] = virtual_losses_[i].visits;
    edges.value[virtual_losses_[i].edge] = virtual_losses_[i].value;
  }
  return selected;
}

bool Search::Tree::last_step_is_aloft() const {
  const PathStep& last = path_[depth_ - 1];
  return std::ranges::any_of(flights_, [&](const Flight& flight) {
    return flight.aloft && flight.path.size() == depth_ && flight.path.back().node == last.node &&
           flight.path.back().edge == last.edge;
  });
}

}  // namespace baghzero
