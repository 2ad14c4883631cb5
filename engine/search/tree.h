// The state of one search. The loop is: select a path, expand its leaf, have it evaluated, back up.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/evaluation.h"
#include "engine/game.h"
#include "engine/random.h"
#include "engine/search/arena.h"
#include "engine/search/gumbel.h"
#include "engine/search/node.h"
#include "engine/search/path_history.h"
#include "engine/search/puct.h"
#include "engine/search/search.h"
#include "engine/search/settings.h"

namespace baghzero {

struct SolvedValue;

class Search::Tree {
 public:
  Tree(const SearchSettings& settings, SearchMode mode);

  void begin(const Game& game, const SearchLimits& limits, std::uint64_t seed);
  SearchStatus advance();
  const Query& leaf() const { return leaf_; }
  void supply(const Evaluation& evaluation);
  void stop();
  void prefetch_state() const;
  void prefetch_path() const;

  SearchStatus advance(int flight);
  const Query& leaf(int flight) const { return flights_[static_cast<std::size_t>(flight)].leaf; }
  int leaf_depth(int flight) const {
    return static_cast<int>(flights_[static_cast<std::size_t>(flight)].path.size());
  }
  void supply(int flight, const Evaluation& evaluation);
  bool update_results();

  std::span<const RootMove> root_moves() const { return root_moves_; }
  Wdl root_wdl() const;
  Wdl root_evaluation() const { return root().evaluation; }
  Proof root_proof() const { return root().proof; }
  std::uint32_t visits() const { return arena_.node_count() > 0 ? root().visits : 0; }
  Wdl move_wdl(int index) const;
  std::vector<Action> principal_variation(int index) const;
  Action best_action() const;
  Action sample_action(float temperature, Random& random) const;
  void policy_target(std::span<float> target) const;

 private:
  using Node = search_detail::Node;
  using Edges = search_detail::Edges;

  struct PathStep {
    Node* node;
    int edge;
  };
  // A leaf that has been handed out while others are, and the way to it.
  struct Flight {
    bool aloft = false;
    std::vector<PathStep> path;
    Query leaf;
    std::uint32_t leaf_quiet_plies = 0;
  };
  // What stood in an edge before a virtual loss was put there.
  struct VirtualLoss {
    int edge;
    float visits;
    float value;
  };
  // What the rules and a look at the moves say about a new leaf, for its side to move.
  struct Verdict {
    Proof proof = Proof::None;
    std::uint16_t plies = 0;
  };

  const Node& root() const { return arena_.node(0); }
  Node& root() { return arena_.node(0); }
  int root_count() const { return root().edge_count; }
  // Whether this search explores: the only gate to any noise.
  bool explores() const { return mode_ == SearchMode::SelfPlay && limits_.explore; }

  // tree.cpp: the loop.
  bool finished() const;
  void prepare_root();
  int winning_root_edge();
  Node* select_path();
  void visit_selected(Node* known);
  int select_edge(const Node& node, const Edges& edges) const;
  int select_root_edge();
  int select_gumbel_root();
  static Verdict verdict_of(const SolvedValue& value, Side side);
  Verdict open_leaf(const Node& parent, Action action);
  void remove_barred();
  int occurrences() const;
  Node& add_leaf(const Wdl& value);

  // backup.cpp
  void back_up(const Node& leaf, Wdl value);
  void back_up_proof(const Node& leaf);
  void settle_edge(Node& node, int edge, const Node& child);
  void prove(Node& node, Proof proof, std::uint16_t plies);
  void recompute(Node& node);

  // flights.cpp
  Flight& flight_at(int index);
  SearchStatus take_off(Flight& flight);
  bool finished_with_flights() const;
  Node* select_path_around_flights();
  int select_around_flights(Node& node);
  bool last_step_is_aloft() const;

  // reuse.cpp
  bool keep_subtree(const Game& game, std::uint32_t capacity);
  std::uint32_t find_kept_root(const Game& game) const;
  void copy_subtree(std::uint32_t new_root, std::uint32_t capacity);
  void remember_history(const Game& game);

  // results.cpp
  void collect_root_moves();
  int best_index() const;
  int winning_index() const;
  int longest_loss_index() const;
  void play_weights(std::span<float> weights) const;
  void prune_forced(std::span<float> weights) const;
  float gumbel_score(int index, float factor, float unvisited) const;
  float gumbel_visits(int index) const {
    return arena_.edges(root()).visits[index] - base_visits_[index];
  }
  int gumbel_winner() const;
  int expected_edge(const Node& node) const;

  SearchSettings settings_;
  SearchMode mode_;
  search_detail::Exploration exploration_;

  Rules rules_;
  SearchLimits limits_;
  Random random_{0};
  int root_plies_ = 0;
  const MovementTable* solved_ = nullptr;  // what exact values come from, if any do
  search_detail::RootWindow window_;
  std::vector<Position> history_;  // of the game up to the root, Engine mode only

  search_detail::Arena arena_;
  search_detail::Arena spare_;  // takes over a kept subtree, Engine mode only
  std::unique_ptr<PathStep[]> path_;
  std::uint32_t path_capacity_ = 0;
  std::uint32_t depth_ = 0;  // steps of path_ in use

  bool waiting_ = false;  // leaf_ has been handed out
  Query leaf_;
  std::uint32_t leaf_quiet_plies_ = 0;

  // Of the root's edges: the policy before noise; Gumbel noise plus log policy; visits that a kept
  // tree brought along.
  std::array<float, kMaxLegalActions> root_policy_{};
  std::array<float, kMaxLegalActions> gumbel_logits_{};
  std::array<float, kMaxLegalActions> base_visits_{};
  search_detail::SequentialHalving halving_;

  std::array<RootMove, kMaxLegalActions> root_move_storage_{};
  std::span<const RootMove> root_moves_;

  std::deque<Flight> flights_;  // grows without moving the leaves it holds
  std::uint32_t aloft_ = 0;     // of them in the air
  std::vector<VirtualLoss> virtual_losses_;
};

}  // namespace baghzero
