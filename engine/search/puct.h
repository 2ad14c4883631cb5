// Selection by PUCT: the edge with the highest value + exploration * prior / (1 + visits).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/search/node.h"
#include "engine/search/settings.h"

namespace baghzero::search_detail {

// c(N) * sqrt(N) for a node with N visits, where c(N) = cpuct + cpuct_factor * log((N + cpuct_base)
// / cpuct_base) (the growing constant of AlphaZero, Silver et al. 2018). Small N come from a table.
class Exploration {
 public:
  explicit Exploration(const SearchSettings& settings) : settings_(settings) {}

  // Makes the table cover searches of up to `visits` visits, as far as that is worth it.
  void prepare(std::uint32_t visits) {
    const std::uint32_t size = std::min(visits, kMaxTable) + 1;
    while (table_.size() < size)
      table_.push_back(compute(static_cast<std::uint32_t>(table_.size())));
  }
  float operator()(std::uint32_t visits) const {
    return visits < table_.size() ? table_[visits] : compute(visits);
  }

 private:
  static constexpr std::uint32_t kMaxTable = 4095;
  float compute(std::uint32_t visits) const {
    const auto n = static_cast<float>(visits);
    return (settings_.cpuct +
            settings_.cpuct_factor * std::log((n + settings_.cpuct_base) / settings_.cpuct_base)) *
           std::sqrt(n);
  }
  SearchSettings settings_;
  std::vector<float> table_;
};

// First-play urgency: the worth of unvisited edges (lc0, KataGo).
inline float first_play_urgency(const Node& node, float reduction) {
  return node.mean().value() - reduction * std::sqrt(node.visited_prior);
}

inline float puct_score(float value, float prior, float visits, float exploration) {
  return value + prior * exploration / (visits + 1);
}

// Index of the best edge, the lowest of equals. `first_play` stands in for the value of unvisited
// edges. Refuted edges (and the padding) lose against any other.
inline int select_puct(const Edges& edges, float exploration, float first_play) {
  using Floats [[gnu::vector_size(32)]] = float;
  using Ints [[gnu::vector_size(32)]] = std::int32_t;
  static_assert(sizeof(Floats) == kEdgeGroup * sizeof(float));
  const auto load = [](const float* from, Floats& to) { std::memcpy(&to, from, sizeof(Floats)); };

  Floats best = Floats{} - std::numeric_limits<float>::infinity();
  Ints best_index{};
  Ints index{0, 1, 2, 3, 4, 5, 6, 7};
  const Floats urgency = Floats{} + first_play;
  for (int i = 0; i < edges.padded_count; i += kEdgeGroup) {
    Floats prior;
    Floats visits;
    Floats value;
    load(edges.prior + i, prior);
    load(edges.visits + i, visits);
    load(edges.value + i, value);
    const Floats score = (visits == 0.0F ? urgency : value) + prior * exploration / (visits + 1.0F);
    const Ints better = score > best;
    best = better ? score : best;
    best_index = better ? index : best_index;
    index += kEdgeGroup;
  }
  // The highest score to every lane, then the lowest index that has it.
  Floats highest = best;
  const auto keep_higher = [&highest](const Floats& other) {
    highest = other > highest ? other : highest;
  };
  keep_higher(__builtin_shufflevector(highest, highest, 4, 5, 6, 7, 0, 1, 2, 3));
  keep_higher(__builtin_shufflevector(highest, highest, 2, 3, 0, 1, 6, 7, 4, 5));
  keep_higher(__builtin_shufflevector(highest, highest, 1, 0, 3, 2, 5, 4, 7, 6));
  Ints lowest = best == highest ? best_index : Ints{} + std::numeric_limits<std::int32_t>::max();
  const auto keep_lower = [&lowest](const Ints& other) {
    lowest = other < lowest ? other : lowest;
  };
  keep_lower(__builtin_shufflevector(lowest, lowest, 4, 5, 6, 7, 0, 1, 2, 3));
  keep_lower(__builtin_shufflevector(lowest, lowest, 2, 3, 0, 1, 6, 7, 4, 5));
  keep_lower(__builtin_shufflevector(lowest, lowest, 1, 0, 3, 2, 5, 4, 7, 6));
  return lowest[0];
}

// KataGo 2019, 3.2: visits that exploration owes to an edge of this prior below `total` visits.
inline float forced_visits(float factor, float prior, float total) {
  return std::sqrt(factor * prior * total);
}

// The first visited edge, not refuted, with fewer visits than it is owed; -1 if there is none.
inline int select_forced(const Edges& edges, int count, float factor, float total) {
  for (int i = 0; i < count; ++i)
    if (edges.visits[i] > 0 && !is_refuted(edges.value[i]) &&
        edges.visits[i] < forced_visits(factor, edges.prior[i], total))
      return i;
  return -1;
}

}  // namespace baghzero::search_detail
