// Analysis of a game by several threads that search one tree.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/game.h"
#include "engine/search/search.h"

namespace baghzero {

struct AnalysisLimits {
  std::uint32_t visits = kMaxVisits;  // of the tree, kept ones included; at least 1
  double seconds = std::numeric_limits<double>::infinity();
  int depth = 0;  // plies of the main line; 0: no limit
};

// One move of the position, with what the search thinks will follow.
struct AnalysisLine {
  Action action = 0;
  std::uint32_t visits = 0;
  float prior = 0;
  Wdl wdl;  // for the side to move in the analysed position, as all values here
  Proof proof = Proof::None;
  int proof_plies = 0;
  std::vector<Action> moves;  // begins with `action`
};

struct Analysis {
  std::vector<AnalysisLine> lines;  // best first; the first is the move to play
  Wdl wdl;
  Proof proof = Proof::None;
  std::uint32_t visits = 0;       // of the tree
  std::uint32_t simulations = 0;  // done now
  int depth = 0;                  // plies of the main line
  int selective_depth = 0;        // the longest way to a leaf
  double seconds = 0;
};

using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>()>;

// Searches in Engine mode: the tree is kept while the game goes on. With one thread the result
// depends on the game, the limits and the kept tree alone.
class Analyst {
 public:
  // `make_evaluator` is called once per thread. Throws std::invalid_argument if `threads` is not
  // positive or `settings` make no sense.
  Analyst(const SearchSettings& settings, const EvaluatorFactory& make_evaluator, int threads);

  // Drops the tree: the next analysis is what a new Analyst would say.
  void forget();

  // Searches until a limit is reached, the value is proven, the tree is full or `stop` is set, but
  // at least until the root has been evaluated. `progress`, if given, hears an interim result about
  // every `interval` seconds, in the calling thread. `line_count` lines at most are reported, at
  // least 1. Throws std::invalid_argument if the game is over, and what an evaluator throws.
  Analysis analyse(const Game& game, const AnalysisLimits& limits, int line_count,
                   const std::atomic<bool>& stop,
                   const std::function<void(const Analysis&)>& progress = {},
                   double interval = 0.5);

 private:
  struct Task;
  void work(int flight, Task& task);
  void search(int flight, Task& task);
  bool is_over(const Task& task);
  Analysis report(const Task& task);

  SearchSettings settings_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;

  std::mutex mutex_;  // guards the search and the task while threads work
  std::condition_variable landed_;
  Search search_;
};

}  // namespace baghzero
