// Generates self-play games. A fixed number of worker threads each advance many game slots; a
// worker never waits for one game: it moves every slot on until that slot needs an evaluation that
// the cache does not hold, evaluates the leaves of many slots as one batch, hands the answers back
// and goes on. Evaluators with a device keep several groups of slots in flight, so that host and
// device overlap. Finished games pass through a bounded queue to one writer thread, which alone
// calls the sink.
//
// Work is done in phases. Threads, evaluators and half-played games outlive a phase:
//
//   SelfPlay self_play(setup, sink);
//   self_play.start({.games = 400});
//   while (!self_play.wait(250ms)) show(self_play.counters());
//   self_play.set_network(better);  // also while a phase runs
//
// Reproducibility. A game depends on the seed, its index and the evaluations it was given, never on
// threads or on the other games. So
//  - with one worker everything is deterministic: which games a phase finishes, and their moves;
//  - with `Unfinished::Finish` and one network a phase plays the same games with any number of
//    workers, provided that the evaluator's answer to a query does not depend on the rest of its
//    batch. Networks only come close to that: kernels chosen by batch size differ in the last
//    bits, and a cache then keeps whichever answer came first. With `Unfinished::Keep` and several
//    workers, thread timing decides which games are unfinished when a phase ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/evaluation.h"
#include "engine/rules.h"
#include "nn/inference.h"
#include "selfplay/counters.h"
#include "selfplay/game_record.h"
#include "selfplay/settings.h"

namespace baghzero {

// Makes the evaluator of one worker: called in that worker's thread, which alone uses and destroys
// it, at the start and after every change of network. Without a cache: the worker has its own way
// to it.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>(NetworkPtr)>;

struct SelfPlaySetup {
  SelfPlaySettings settings;
  Rules rules;
  NetworkPtr network;
  EvaluatorFactory make_evaluator;
  std::shared_ptr<EvaluationCache> cache;  // null: no cache
  // Within a phase, hand games to the sink by ascending index instead of as they finish. Holds
  // finished games back in memory until every earlier one is there.
  bool ordered = false;
  std::uint64_t first_game = 0;  // index of the first game; a resumed run goes on from its last
};

// What becomes of the games in progress when a phase ends.
enum class Unfinished : std::uint8_t {
  Keep,    // they wait in their slots and go on in the next phase, with its network
  Finish,  // they are played to their end; batches run thin while the last ones do
};

struct PhaseGoal {
  std::int64_t games = 0;  // a phase ends after this many; 0: not before stop()
  Unfinished unfinished = Unfinished::Keep;
};

// start, wait and the destructor belong to one thread; the rest may be called from any.
class SelfPlay {
 public:
  // Starts the threads, which then wait for the first phase. `sink` must outlive this object.
  // Throws std::invalid_argument naming the setting if one makes no sense.
  SelfPlay(SelfPlaySetup setup, GameSink& sink);
  // Ends a running phase (Unfinished::Keep), waits for the threads and drops games in progress.
  ~SelfPlay();
  SelfPlay(const SelfPlay&) = delete;
  SelfPlay& operator=(const SelfPlay&) = delete;

  // Begins a phase; the one before must be over. With Unfinished::Keep exactly `games` games reach
  // the sink. With Unfinished::Finish games kept from before count too, and more than `games` come
  // if there were more of them; from a fresh start it is exactly `games`, with consecutive
  // indices. Rethrows what ended an earlier phase, after which no more can be started.
  void start(const PhaseGoal& goal);
  // Ends the running phase early: at the next batch, or (Finish) as soon as the games in progress
  // are over. A second call may turn Finish into Keep, not the other way round.
  void stop(Unfinished unfinished = Unfinished::Keep);
  // Waits until the phase is over and all its games have been taken by the sink, at most
  // `patience`; returns whether it is. Rethrows the first exception of an evaluator, of the factory
  // or of the sink, which ends the phase. After an exception of an evaluator the sink still gets
  // the games that had been finished.
  bool wait(std::chrono::milliseconds patience);
  void wait();

  // The network of all batches begun after this call.
  void set_network(NetworkPtr network);

  SelfPlayCounters counters() const;
  // What each worker has done so far: simulations and evaluations, for whoever watches over them.
  std::vector<std::uint64_t> work() const;
  // How full the queue of finished games has been at most since the last call, 0..1.
  double take_queue_peak();
  int workers() const;
  // Index of the next game to be started.
  std::uint64_t next_game() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace baghzero
