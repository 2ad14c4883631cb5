// What a tree is made of: nodes, and the edges below them as parallel arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/evaluation.h"
#include "engine/position.h"
#include "engine/search/search.h"

namespace baghzero::search_detail {

// Edge arrays are padded to whole groups, so that scans need no remainder loop.
inline constexpr int kEdgeGroup = 8;

// Value of an edge whose child is won for the opponent: no exploration bonus makes up for it, so it
// is never selected while another edge is left.
inline constexpr float kRefuted = -1e6F;
constexpr bool is_refuted(float value) { return value <= kRefuted; }

// The edges of one node. Index i of every array belongs to the i-th legal action; the padding
// behind them holds refuted edges. Values are for the side to move at the node.
struct Edges {
  float* prior;
  float* visits;         // whole numbers
  float* value;          // mean in -1..1; 0 while unvisited, kRefuted if proven lost
  std::uint32_t* child;  // node index, 0 while unvisited
  Action* action;
  int padded_count;
};

constexpr int padded(int count) { return (count + kEdgeGroup - 1) / kEdgeGroup * kEdgeGroup; }

struct alignas(64) Node {
  Position position;
  std::uint32_t edges = 0;  // where the arena keeps them
  // Simulations that came here: the first evaluation and one per visit of an edge.
  std::uint32_t visits = 0;
  // Sum and weight of the results seen from here, for the side to move. Simulations into edges that
  // were refuted later do not count, so weight <= visits.
  float weight = 0;
  Wdl sum{};
  Wdl evaluation{};
  float visited_prior = 0;        // policy mass of the visited edges
  std::uint32_t quiet_plies = 0;  // plies of the movement phase since the last capture
  std::uint16_t proof_plies = 0;  // plies to the proven end
  std::uint8_t edge_count = 0;    // 0: the game or its proof ends here
  std::uint8_t unproven = 0;      // edges without a proven child
  Proof proof = Proof::None;      // for the side to move

  bool is_proven() const { return proof != Proof::None; }
  Wdl mean() const { return {sum.win / weight, sum.draw / weight, sum.loss / weight}; }
  void add(const Wdl& result) {
    sum.win += result.win;
    sum.draw += result.draw;
    sum.loss += result.loss;
    weight += 1;
    ++visits;
  }
};
static_assert(sizeof(Node) == 64, "a node fills one cache line");

constexpr Wdl exact_value(Proof proof) {
  return proof == Proof::Win ? kWin : proof == Proof::Loss ? kLoss : kDraw;
}
constexpr Proof flipped(Proof proof) {
  return proof == Proof::Win ? Proof::Loss : proof == Proof::Loss ? Proof::Win : proof;
}
constexpr std::uint16_t one_ply_more(std::uint16_t plies) {
  return plies == std::numeric_limits<std::uint16_t>::max() ? plies
                                                            : static_cast<std::uint16_t>(plies + 1);
}

}  // namespace baghzero::search_detail
