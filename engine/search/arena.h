// The memory of one tree: nodes and edges in two areas of one allocation, filled from the front.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "engine/search/node.h"

namespace baghzero::search_detail {

// Memory is reserved for the worst case but touched only where nodes are made, so that what a
// small tree really occupies is small. Node 0 is the root.
class Arena {
 public:
  // Drops all nodes and makes room for `nodes` of them; allocates only if there is less room.
  void reserve(std::uint32_t nodes);
  void clear() {
    node_count_ = 0;
    edge_units_ = 0;
  }

  // What a tree of so many nodes touches, about, in games from the start.
  static constexpr std::size_t usual_bytes(std::size_t nodes) {
    constexpr int kUsualEdges = 2 * kEdgeGroup;
    return nodes * (sizeof(Node) + units(kUsualEdges) * kUnit);
  }

  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t node_count() const { return node_count_; }
  // Whether another node, with as many edges as a position can have, may not fit beside `pending`
  // ones that are still to come.
  bool full(std::uint32_t pending = 0) const {
    return node_count_ + pending >= capacity_ ||
           edge_units_ + (pending + 1) * units(kMaxLegalActions) > edge_capacity_;
  }

  Node& node(std::uint32_t index) {
    assert(index < node_count_);
    return nodes()[index];
  }
  const Node& node(std::uint32_t index) const {
    assert(index < node_count_);
    return nodes()[index];
  }
  // A fresh node without edges; not while full().
  std::uint32_t add_node(const Position& position) {
    assert(node_count_ < capacity_);
    new (nodes() + node_count_) Node{.position = position};
    return node_count_++;
  }
  // Hints that a node is going to be added, or that these edges are going to be used.
  void prefetch_next() const {
    __builtin_prefetch(nodes() + node_count_, 1);
    prefetch_lines(edge_memory() + edge_units_ * kUnit, kUsualEdgeBytes);
  }
  void prefetch_edges(const Node& node) const {
    prefetch_lines(edge_memory() + std::size_t{node.edges} * kUnit, units(node.edge_count) * kUnit);
  }
  // Gives `node` room for `count` edges and sets all but their actions and priors.
  void add_edges(Node& node, int count);

  Edges edges(const Node& node) const {
    const int count = padded(node.edge_count);
    auto* floats = reinterpret_cast<float*>(edge_memory() + std::size_t{node.edges} * kUnit);
    auto* children = reinterpret_cast<std::uint32_t*>(floats + 3 * count);
    return {floats,
            floats + count,
            floats + 2 * count,
            children,
            reinterpret_cast<Action*>(children + count),
            count};
  }

 private:
  static constexpr std::size_t kUnit = 32;  // bytes; edge blocks are aligned to it
  // Room for edges beyond this many per node on average is not made; no rule setting comes close
  // over a whole tree, and a tree that did would count as full.
  static constexpr int kMeanEdges = 32;
  static constexpr std::size_t kEdgeBytes =
      3 * sizeof(float) + sizeof(std::uint32_t) + sizeof(Action);

  static constexpr std::size_t kUsualEdgeBytes = 16 * kEdgeBytes;
  static constexpr std::size_t kCacheLine = 64;

  static void prefetch_lines(const std::byte* from, std::size_t bytes) {
    for (std::size_t offset = 0; offset < bytes; offset += kCacheLine)
      __builtin_prefetch(from + offset, 1);
  }
  static constexpr std::size_t units(int count) {
    return (static_cast<std::size_t>(padded(count)) * kEdgeBytes + kUnit - 1) / kUnit;
  }
  Node* nodes() const { return reinterpret_cast<Node*>(memory_.get()); }
  std::byte* edge_memory() const { return memory_.get() + std::size_t{capacity_} * sizeof(Node); }

  struct Release {
    void operator()(std::byte* memory) const {
      ::operator delete (memory, std::align_val_t{alignof(Node)});
    }
  };
  std::unique_ptr<std::byte, Release> memory_;
  std::uint32_t capacity_ = 0;
  std::uint32_t node_count_ = 0;
  std::size_t edge_capacity_ = 0;  // in units
  std::size_t edge_units_ = 0;
};

}  // namespace baghzero::search_detail
