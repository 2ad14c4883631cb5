// A classic searcher, the strongest fixed opponent that needs no network: iterative deepening,
// principal variation search, a transposition table, killer and history moves.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/agents/agent.h"
#include "engine/agents/game_line.h"

namespace baghzero {

struct AlphaBetaLimits {
  static constexpr int kMaxDepth = 60;
  int depth = kMaxDepth;                      // plies, 1..kMaxDepth
  std::chrono::milliseconds time_per_move{};  // 0: no limit; the first ply is always searched
};

// Scores are those of heuristic_value() for the side to move, or proven: kWinScore - n is a win in
// n plies, its negative a loss.
inline constexpr int kWinScore = 30'000;
constexpr bool is_proven(int score) {
  return score > kWinScore - 2'000 || score < -(kWinScore - 2'000);
}

struct AlphaBetaResult {
  Action action = kNoAction;
  int score = 0;
  int depth = 0;  // of the last iteration that was finished
  std::uint64_t nodes = 0;
};

// Entries of one search, 16 bytes each. A stored value may have come about by the history of the
// game (moves barred by repetition, for instance) and may not hold in another one, so it is used
// only where history can have no say within its depth; beyond a few plies, where that is seldom
// certain and matters little, heuristic values are used all the same, proven ones never. Thus
// scores are exact up to depth 4.
class TranspositionTable {
 public:
  enum class Bound : std::uint8_t { None, Exact, AtLeast, AtMost };
  struct Entry {
    std::uint64_t key = 0;
    std::int16_t score = 0;  // proven ones counted from this position
    std::uint8_t depth = 0;
    Action best = kNoAction;
    Bound bound = Bound::None;
    bool by_history = false;  // history had a say in the score
  };
  explicit TranspositionTable(std::size_t entries);  // a power of two
  void clear();
  const Entry* find(const Position& position) const;
  void store(const Entry& entry, const Position& position);

 private:
  std::vector<Entry> entries_;
};

// Allocates at construction and at the beginning of a search, never inside. One thread at a time.
class AlphaBetaSearch {
 public:
  static constexpr std::size_t kDefaultTableEntries = std::size_t{1} << 17;
  static constexpr std::size_t kDefaultTableBytes =
      kDefaultTableEntries * sizeof(TranspositionTable::Entry);
  explicit AlphaBetaSearch(std::size_t table_entries = kDefaultTableEntries);

  // Forgets what it knows.
  void clear();
  // The best move of an unfinished game; of several that are equally good one drawn by `random`.
  // What it learns serves the next search of the same game.
  AlphaBetaResult run(const Game& game, const AlphaBetaLimits& limits, Random& random);

 private:
  struct RootMove {
    Action action = kNoAction;
    int score = 0;
  };
  struct Window {
    int alpha = 0;
    int beta = 0;
  };
  void search_root(int depth);
  int search(int depth, Window window, int ply);
  int search_moves(const ActionList& legal, int depth, Window window, int ply, Action first);
  int search_child(Action action, int depth, Window window, int ply, bool first);
  void note_cutoff(Action action, int depth, int ply);
  // Whether the table settles the node; sets `score`, and `first`, the move to try first.
  bool probe(int depth, const Window& window, int ply, int& score, Action& first);
  void store(int depth, const Window& window, int ply, int score, Action best);
  int order_score(Action action, int ply, Action first) const;
  bool out_of_time();

  GameLine line_;
  Rules rules_;
  TranspositionTable table_;
  std::vector<RootMove> root_moves_;
  std::array<std::array<Action, 2>, AlphaBetaLimits::kMaxDepth + 1> killers_{};
  std::array<std::array<int, kActionCount>, 2> history_{};  // by side
  Action best_action_ = kNoAction;                          // of the node searched last
  int earliest_cause_ = GameLine::kNever;                   // in the subtree being searched
  std::uint64_t nodes_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  bool timed_ = false;
  bool stopped_ = false;
};

// "alphabeta:6" or "alphabeta:100ms"; with a depth it is deterministic given the seed of the game.
std::unique_ptr<Agent> make_alphabeta_agent(const AlphaBetaLimits& limits);

}  // namespace baghzero
