#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "engine/text.h"
#include "training/run_phases.h"
#include "training/timed_stop.h"

namespace baghzero {
namespace {

using std::chrono::steady_clock;

// How long the loop trains before it looks at games, gate and limits again.
constexpr double kTurnSeconds = 0.5;
constexpr std::chrono::milliseconds kIdle{50};
constexpr std::chrono::milliseconds kNoPatience{0};
// Self-play pauses while the trainer owes more than this many times the samples of a first window.
constexpr double kMaxBacklog = 2;

// Games played by a thread of their own while self-play and training go on.
template <class Result>
class BackgroundMatches {
 public:
  ~BackgroundMatches() {
    if (stop_) stop_->request();  // an exception is on its way: it need not wait for the games
  }
  bool running() const { return result_.valid(); }
  bool finished() const {
    return running() && result_.wait_for(kNoPatience) == std::future_status::ready;
  }
  // `play(stop)` gets a flag that ends it when the run is told to stop or run.minutes end gates.
  template <class Play>
  void begin(const RunContext& run, Play play) {
    stop_.emplace(run.stop, run.moment(run.limits.gates));
    result_ = std::async(std::launch::async,
                         [play, &stop = stop_->flag()]() -> Result { return play(stop); });
  }
  // Waits for the end; then time_is_up() tells of the games whose result this is.
  Result take() {
    Result result = result_.get();
    time_is_up_ = stop_->time_is_up();
    stop_.reset();
    return result;
  }
  bool time_is_up() const { return time_is_up_; }

 private:
  std::optional<TimedStop> stop_;
  bool time_is_up_ = false;
  std::future<Result> result_;  // last: its destructor waits for the thread
};

class BackgroundGate {
 public:
  bool running() const { return matches_.running(); }
  bool finished() const { return matches_.finished(); }
  void begin(RunContext& run) {
    gate_ = begin_gate(run);
    games_ = static_cast<int>(gate_.played.size());
    plies_ = 0;
    matches_.begin(run, [this, &run](const std::atomic<bool>& stop) {
      return play_gate(run, gate_, stop, [this](const GateStanding& standing) {
        games_ = standing.games;
        plies_ = standing.plies;
      });
    });
  }
  int games() const { return games_; }
  std::int64_t plies() const { return plies_; }
  // "gate 12 of at most 200 games", or nothing.
  std::string describe(const RunContext& run) const {
    if (!running()) return "";
    return "gate " + grouped(games_) + " of at most " +
           counted(2 * run.config.gate.max_pairs, "game");
  }
  GateEnd conclude(RunContext& run) {
    const GateResult result = matches_.take();
    run.relay_warnings();
    if (result.verdict == GateVerdict::Interrupted) {
      if (!matches_.time_is_up()) return GateEnd::Stopped;
      report_cut_off(run, result);
      return GateEnd::TimeIsUp;
    }
    conclude_gate(run, std::move(gate_), result);
    return GateEnd::Decided;
  }

 private:
  GateRun gate_;
  std::atomic<int> games_ = 0;
  std::atomic<std::int64_t> plies_ = 0;
  BackgroundMatches<GateResult> matches_;
};

class BackgroundEvaluation {
 public:
  bool running() const { return matches_.running(); }
  bool finished() const { return matches_.finished(); }
  void begin_if_due(RunContext& run) {
    if (running()) return;
    evaluation_ = due_evaluation(run);
    if (evaluation_)
      matches_.begin(run, [this, &run](const std::atomic<bool>& stop) {
        return play_evaluation(run, *evaluation_, stop, [](int, const std::string&) {});
      });
  }
  // Whether it came to its end.
  bool conclude(RunContext& run) {
    const EvaluationResult result = matches_.take();
    conclude_evaluation(run, *evaluation_, result);
    return result.complete;
  }

 private:
  std::optional<EvaluationRun> evaluation_;
  BackgroundMatches<EvaluationResult> matches_;
};

class OverlappingRun {
 public:
  explicit OverlappingRun(RunContext& run)
      : run_(run), generator_(make_self_play(run, run.first_game)) {}

  RunEnd loop() {
    if (run_.store.unfinished_gate()) gate_.begin(run_);
    evaluation_.begin_if_due(run_);
    while (!run_.stopping()) {
      if (const std::optional<RunEnd> end = run_.reached_limit())
        if (finish(*end)) return *end;
      pace_self_play();
      take_turn();
      if (gate_.finished()) conclude_gate_now();
      if (evaluation_.finished()) conclude_evaluation_now();
      if (iteration_is_over()) finish_iteration();
      if (run_.save_is_due()) run_.save();
    }
    run_.save();  // a second signal need not lose what this one has not ended yet
    stop_self_play();
    if (gate_.running()) gate_.conclude(run_);
    if (evaluation_.running()) evaluation_.conclude(run_);
    run_.save();
    return RunEnd::Stopped;
  }

 private:
  // One round of fetching games and training, or a short wait if there is nothing to train.
  void take_turn() {
    fetch();
    if (playing_) watch_workers(run_, *generator_);
    if (run_.steps_allowed() > 0) {
      train_backlog(run_, kTurnSeconds);
      generator_->wait(kNoPatience);  // for its errors
    } else {
      generator_->wait(kIdle);
    }
    const SelfPlayCounters since = generator_->counters() - counted_;
    const double seconds =
        std::chrono::duration<double>(steady_clock::now() - run_.tally.begin).count();
    std::string detail = describe_self_play(since, seconds);
    if (!run_.window.ready()) detail = run_.rows_awaited() + ", " + detail;
    if (gate_.running()) detail += ", " + gate_.describe(run_);
    run_.progress({RunPhase::SelfPlay,
                   static_cast<double>(run_.state.last_game - run_.state.games_before_iteration),
                   static_cast<double>(run_.config.run.games_per_iteration), detail});
  }

  void fetch() { run_.absorb(run_.collector.take()); }

  // Starts self-play, and pauses it while training is too far behind: else the reuse of rows would
  // sink below what the configuration asks for.
  void pace_self_play() {
    const double most = kMaxBacklog * run_.config.training.reuse *
                        static_cast<double>(run_.config.training.window_min_rows);
    const bool wanted = run_.state.sample_credit < most;
    if (wanted && !playing_) {
      generator_->start({0, Unfinished::Keep});
      run_.stall_watch.restart();
    } else if (!wanted && playing_) {
      stop_self_play();
    }
    playing_ = wanted;
  }
  void stop_self_play() {
    if (playing_) {
      generator_->stop(Unfinished::Keep);
      generator_->wait();
    }
    playing_ = false;
    fetch();
  }

  bool iteration_is_over() const {
    return run_.state.last_game - run_.state.games_before_iteration >=
           run_.config.run.games_per_iteration;
  }
  void finish_iteration() {
    count_self_play();
    baghzero::finish_iteration(run_);
    // Behind a limit only finish() begins a gate: the last promotion may have been the last
    // wanted.
    if (!gate_.running() && !run_.reached_limit() &&
        run_.state.iterations_ungated >= run_.config.run.iterations_per_gate)
      begin_gate_if_trained();
  }
  void count_self_play() {
    const SelfPlayCounters now = generator_->counters();
    run_.tally.counters += now - counted_;
    counted_ = now;
    run_.tally.queue_peak = std::max(run_.tally.queue_peak, generator_->take_queue_peak());
    run_.tally.selfplay_seconds =
        std::chrono::duration<double>(steady_clock::now() - run_.tally.begin).count();
  }

  void begin_gate_if_trained() {
    if (run_.trainer.samples() == 0 || already_decided(run_)) return;
    if (run_.seconds() >= run_.limits.gates) return;
    run_.save();
    gate_.begin(run_);
  }
  GateEnd conclude_gate_now() {
    const GateEnd end = gate_.conclude(run_);
    if (end == GateEnd::Decided) {
      generator_->set_network(run_.best);
      run_.save();
      // The suite takes all cores, and nobody would store games meanwhile.
      if (!run_.suite.positions.empty()) stop_self_play();
      measure_by_suite(run_);
      evaluation_.begin_if_due(run_);
    }
    return end;
  }
  void conclude_evaluation_now() {
    if (evaluation_.conclude(run_)) evaluation_.begin_if_due(run_);  // of one promoted meanwhile
  }
  GateEnd await_gate() {
    while (!gate_.finished()) {
      run_.relay_warnings();
      run_.progress({RunPhase::Gate, static_cast<double>(gate_.games()),
                     2.0 * run_.config.gate.max_pairs, counted(gate_.plies(), "ply", "plies")});
      std::this_thread::sleep_for(kIdle);
    }
    return conclude_gate_now();
  }

  // A limit is reached: self-play ends, what was trained since the last gate gets its gate.
  // Returns false if the run was told to stop meanwhile.
  bool finish(RunEnd end) {
    stop_self_play();
    GateEnd last = gate_.running() ? await_gate() : GateEnd::Decided;
    if (last == GateEnd::Decided && end != RunEnd::Generations) {
      begin_gate_if_trained();
      if (gate_.running()) last = await_gate();
    }
    if (last == GateEnd::Stopped) return false;
    while (evaluation_.running()) {
      run_.progress({RunPhase::Evaluation, 0, 0, ""});
      std::this_thread::sleep_for(kIdle);
      if (evaluation_.finished()) conclude_evaluation_now();
    }
    run_.save();
    return !run_.stopping();
  }

  RunContext& run_;
  std::unique_ptr<SelfPlay> generator_;
  BackgroundGate gate_;
  BackgroundEvaluation evaluation_;
  SelfPlayCounters counted_;
  bool playing_ = false;
};

}  // namespace

RunEnd run_overlapping(RunContext& run) { return OverlappingRun(run).loop(); }

}  // namespace baghzero
