#include "engine/search/arena.h"

#include <cstring>

namespace baghzero::search_detail {

void Arena::reserve(std::uint32_t nodes) {
  clear();
  if (nodes <= capacity_) return;
  memory_.reset();
  edge_capacity_ = std::size_t{nodes} * units(kMeanEdges) + units(kMaxLegalActions);
  const std::size_t bytes = std::size_t{nodes} * sizeof(Node) + edge_capacity_ * kUnit;
  memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignof(Node)})));
  capacity_ = nodes;
}

void Arena::add_edges(Node& node, int count) {
  assert(edge_units_ + units(count) <= edge_capacity_);
  node.edges = static_cast<std::uint32_t>(edge_units_);
  node.edge_count = static_cast<std::uint8_t>(count);
  node.unproven = node.edge_count;
  edge_units_ += units(count);
  const Edges edges = this->edges(node);
  // Visits, values and children lie one behind the other, and their zeros are all zero bits.
  std::memset(edges.visits, 0, 3 * sizeof(float) * static_cast<std::size_t>(edges.padded_count));
  for (int i = count; i < edges.padded_count; ++i) {
    edges.prior[i] = 0;
    edges.visits[i] = 1;
    edges.value[i] = kRefuted;
  }
}

}  // namespace baghzero::search_detail
