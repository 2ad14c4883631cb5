#include <atomic>
#include <chrono>
#include <future>

#include "training/run_phases.h"

namespace baghzero {
namespace {

using std::chrono::steady_clock;

// How long the loop trains before it looks at games, gate and limits again.
constexpr double kTurnSeconds = 0.5;
constexpr std::chrono::milliseconds kIdle{50};
constexpr std::chrono::milliseconds kNoPatience{0};
// Self-play pauses while the trainer owes more than this many times the samples of a first window.
constexpr double kMaxBacklog = 2;

// A gate played by a thread of its own while self-play and training go on.
class BackgroundTrial {
 public:
  bool running() const { return result_.valid(); }
  bool finished() const {
    return running() && result_.wait_for(kNoPatience) == std::future_status::ready;
  }
  void begin(RunContext& run) {
    trial_ = begin_trial(run);
    result_ = std::async(std::launch::async, [this, &run] {
      return play_trial(run, trial_, [this](int pairs, double) { pairs_ = pairs; });
    });
  }
  void show(RunContext& run) const {
    run.observer.progress({RunPhase::Gate, static_cast<double>(pairs_.load()),
                           static_cast<double>(run.config.gate.max_pairs),
                           "beside self-play and training"});
  }
  // Waits for the result. Returns whether there is a verdict.
  bool conclude(RunContext& run) {
    const GateResult result = result_.get();
    pairs_ = 0;
    if (result.verdict == GateVerdict::Interrupted) return false;
    conclude_trial(run, std::move(trial_), result);
    return true;
  }

 private:
  Trial trial_;
  std::atomic<int> pairs_ = 0;
  std::future<GateResult> result_;
};

class OverlappingRun {
 public:
  explicit OverlappingRun(RunContext& run)
      : run_(run), generator_(make_self_play(run, run.first_game)) {}

  RunEnd loop() {
    if (run_.store.unfinished_gate()) trial_.begin(run_);
    while (!run_.stopping()) {
      if (const std::optional<RunEnd> end = run_.reached_limit())
        if (finish(*end)) return *end;
      pace_self_play();
      take_turn();
      if (trial_.finished()) conclude_trial_now();
      if (iteration_is_over()) finish_iteration();
      if (run_.save_is_due()) run_.save();
    }
    stop_self_play();
    if (trial_.running()) trial_.conclude(run_);
    run_.save();
    return RunEnd::Stopped;
  }

 private:
  // One round of fetching games and training, or a short wait if there is nothing to train.
  void take_turn() {
    fetch();
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
    run_.observer.progress(
        {RunPhase::SelfPlay,
         static_cast<double>(run_.state.last_game - run_.state.games_before_iteration),
         static_cast<double>(run_.config.run.games_per_iteration), detail});
    if (trial_.running()) trial_.show(run_);
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
    ++run_.state.iteration;
    ++run_.state.iterations_ungated;
    run_.state.games_before_iteration = run_.state.last_game;
    report_iteration(run_);
    // Behind a limit only finish() begins a trial: the last promotion may have been the last
    // wanted.
    if (!trial_.running() && !run_.reached_limit() &&
        run_.state.iterations_ungated >= run_.config.run.iterations_per_gate)
      begin_trial_if_trained();
  }
  void count_self_play() {
    const SelfPlayCounters now = generator_->counters();
    run_.tally.counters += now - counted_;
    counted_ = now;
    run_.tally.selfplay_seconds =
        std::chrono::duration<double>(steady_clock::now() - run_.tally.begin).count();
  }

  void begin_trial_if_trained() {
    if (run_.trainer.samples() == 0 || already_decided(run_)) return;
    run_.save();
    trial_.begin(run_);
  }
  bool conclude_trial_now() {
    const bool verdict = trial_.conclude(run_);
    if (verdict) {
      generator_->set_network(run_.best);
      run_.save();
    }
    return verdict;
  }

  // A limit is reached: self-play ends, what was trained since the last gate gets its trial.
  // Returns false if the run was told to stop meanwhile.
  bool finish(RunEnd end) {
    stop_self_play();
    if (trial_.running() && !conclude_trial_now()) return false;
    if (end != RunEnd::Generations) {
      begin_trial_if_trained();
      if (trial_.running() && !conclude_trial_now()) return false;
    }
    run_.save();
    return true;
  }

  RunContext& run_;
  std::unique_ptr<SelfPlay> generator_;
  BackgroundTrial trial_;
  SelfPlayCounters counted_;
  bool playing_ = false;
};

}  // namespace

RunEnd run_overlapping(RunContext& run) { return OverlappingRun(run).loop(); }

}  // namespace baghzero
