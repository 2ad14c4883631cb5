// One tree search: PUCT or Gumbel root, single-threaded, iterative, steppable. The search stops at
// every leaf that needs an evaluation, hands out the query and goes on when the answer is supplied,
// so that a caller with many games can evaluate their leaves as one batch:
//
//   search.begin(game, limits, seed);
//   while (search.advance() == SearchStatus::NeedsEvaluation) {
//     evaluator.evaluate(one(search.leaf()), one(evaluation));
//     search.supply(evaluation);
//   }
//   Action action = search.best_action();
//
// Exact values are backed up: a child that is lost for its side makes its parent won; a side whose
// every reply loses has lost; a side without a better reply than a proven draw has drawn.
// Repetition and limits follow the game's history and the path in the tree, so a proof holds for
// this game, not for its position alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/evaluation.h"
#include "engine/game.h"
#include "engine/random.h"
#include "engine/search/settings.h"

namespace baghzero {

enum class SearchStatus : std::uint8_t {
  NeedsEvaluation,
  Waiting,  // only with flights: nothing to do before one of the leaves in flight is answered
  Done,
};

inline constexpr std::uint32_t kMaxVisits = 1U << 24;  // exact as a float

struct SearchLimits {
  // Simulations, the root's own evaluation included; those of a kept tree count (Engine mode). At
  // least 1, at most kMaxVisits.
  std::uint32_t visits = 100;
  // SelfPlay only: cheap searches of playout-cap randomisation run without noise and forced
  // playouts (KataGo, 2019, 3.1).
  bool explore = true;
};

// Proven game-theoretic value for the side to move, under the rules and history of this game.
enum class Proof : std::uint8_t { None, Win, Draw, Loss };

struct RootMove {
  Action action = 0;
  std::uint32_t visits = 0;
  float prior = 0;  // network policy, without noise
  float value = 0;  // mean value in -1..1 for the side to move at the root; meaningless at 0 visits
  Proof proof = Proof::None;      // for the side to move at the root
  std::uint16_t proof_plies = 0;  // plies to the proven end if proof is Win or Loss
};

class Search {
 public:
  // Throws std::invalid_argument if `settings` make no sense. The tree's memory is taken at the
  // first begin(), in one piece for the nodes that `limits` can need (at most settings.max_nodes);
  // later searches allocate nothing unless they ask for more visits than any before.
  Search(const SearchSettings& settings, SearchMode mode);
  ~Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;

  // Starts a search at the position of `game`; throws std::invalid_argument if it is over. What the
  // search needs of the history is copied. In Engine mode the part of an earlier tree that this
  // position heads is kept if `game` continues the game of that search.
  void begin(const Game& game, const SearchLimits& limits, std::uint64_t seed);
  // Runs simulations until a leaf needs an evaluation or the search is done. A root with one legal
  // move, or a proven root, ends the search early (after its evaluation). Calling it again before
  // supply() changes nothing.
  SearchStatus advance();
  // Valid after NeedsEvaluation until supply().
  const Query& leaf() const;
  void supply(const Evaluation& evaluation);
  // Ends the search with the simulations done so far, the first one at least: advance() reports
  // Done next. For searches by time; not while a leaf waits, except the root's own.
  void stop();
  // Hints for callers that go round many searches, whose trees no processor's cache can hold at
  // once: supply() will follow. Some searches ahead, fetch the state; shortly before, the path.
  void prefetch_state() const;
  void prefetch_path() const;
  // Runs the whole search with one evaluator, a leaf at a time.
  void run(Evaluator& evaluator);

  // Engine mode: leaves of this one tree in flight side by side, for a search by several threads
  // which take turns under the caller's lock and evaluate outside it. Flights are numbered from 0.
  // A leaf in flight counts as a loss wherever later ones choose their way (virtual loss, Chaslot
  // et al. 2008), and nowhere else; with one flight the search is the same as without. advance()
  // takes the flight's next leaf, supply() lands it; leaf(flight) stays in place until then, also
  // while other flights come and go. Flights still in the air are dropped by begin(). Throws
  // std::logic_error outside Engine mode or with a Gumbel root.
  SearchStatus advance(int flight);
  const Query& leaf(int flight) const;
  int leaf_depth(int flight) const;  // plies from the root
  void supply(int flight, const Evaluation& evaluation);
  // Makes the results valid as far as they go now, also with leaves in flight. False, without
  // results, if not even the root has been evaluated.
  bool update_results();

  // Results, after Done or update_results().
  std::span<const RootMove> root_moves() const;  // in the order of game.legal()
  Wdl root_wdl() const;                          // searched value for the side to move
  Wdl root_evaluation() const;                   // the evaluator's own value of the root
  Proof root_proof() const;
  std::uint32_t visits() const;  // simulations done
  // Of root_moves()[index]: its searched value for the side to move at the root, the network's own
  // value of the root if it is unvisited; and the line of best moves that begins with it.
  Wdl move_wdl(int index) const;
  std::vector<Action> principal_variation(int index) const;
  // The move to play without randomness: proven win (shortest), else most visits (Puct) or the
  // winner of sequential halving (Gumbel); never a proven loss if something else exists; of lost
  // moves the one that lasts longest.
  Action best_action() const;
  // A move drawn with probability ~ visits^(1/temperature) (Puct; visits as in policy_target(),
  // that is without those forced by exploration); proven losses are never drawn if something else
  // exists, a proven win is always played. Temperature 0 is best_action(). With Gumbel the winner
  // of sequential halving, whose randomness is the Gumbel noise.
  Action sample_action(float temperature, Random& random) const;
  // Training target over root_moves(), sums to 1: visit shares, after target pruning where playouts
  // were forced (Puct; KataGo 2019, 3.2), or the completed-Q improved policy (Gumbel). A proven
  // root that is won or lost gives all to best_action(); else moves proven lost get nothing.
  // target.size() == root_moves().size().
  void policy_target(std::span<float> target) const;

 private:
  class Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace baghzero
