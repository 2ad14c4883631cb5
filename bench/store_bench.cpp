// What it costs a run to keep what it does: rounds of the same self-play and training, twice with
// and twice without the store, metrics, TensorBoard and trainer states, as often as a run writes
// them.
//
//   store_bench CONFIG [FOLDER [ROUNDS [GAMES]]]
//
// FOLDER is made on the disk that is measured and removed afterwards.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench_report.h"
#include "cli/config.h"
#include "cli/tensorboard.h"
#include "engine/wall_clock.h"
#include "nn/inference.h"
#include "selfplay/self_play.h"
#include "training/checkpoint.h"
#include "training/run_context.h"
#include "training/run_progress.h"

namespace baghzero {
namespace {

using Clock = std::chrono::steady_clock;

// As a run does: how often it fetches games and tells where it stands; what it tells at the end of
// an iteration; one state after training, one after a gate.
constexpr std::chrono::milliseconds kPatience{200};
constexpr std::chrono::seconds kProgressInterval{2};
constexpr int kMetrics = 64;
constexpr int kStates = 2;
constexpr int kPortion = 16;  // steps between two looks at the clock

struct Cost {
  double wall = 0;       // seconds
  double processor = 0;  // seconds of all threads
};

Cost operator+(const Cost& a, const Cost& b) {
  return {a.wall + b.wall, a.processor + b.processor};
}

Cost now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return {std::chrono::duration<double>(Clock::now().time_since_epoch()).count(),
          static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

// What comes of the work of a round: kept, or not.
class Keeper {
 public:
  virtual ~Keeper() = default;
  virtual GameSink& sink() = 0;
  // Moves the rows of the games finished since the last call into `window`.
  virtual void fetch(ReplayWindow& window) = 0;
  virtual void progress(const Trainer& trainer, const ReplayWindow& window) = 0;
  virtual void finish(const Trainer& trainer) = 0;
};

class KeepsNothing final : public Keeper, public GameSink {
 public:
  explicit KeepsNothing(double value_search_share) : value_search_share_(value_search_share) {}
  GameSink& sink() override { return *this; }
  void put(GameRecord record) override {
    std::vector<TrainingRow> rows;
    append_rows(record, value_search_share_, rows);
    const std::lock_guard lock(mutex_);
    games_.push_back(std::move(rows));
  }
  void fetch(ReplayWindow& window) override {
    for (const auto& rows : take()) window.add(rows);
  }
  void progress(const Trainer&, const ReplayWindow&) override {}
  void finish(const Trainer&) override {}

 private:
  std::vector<std::vector<TrainingRow>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(games_, {});
  }

  double value_search_share_;
  std::mutex mutex_;
  std::vector<std::vector<TrainingRow>> games_;
};

class KeepsEverything final : public Keeper {
 public:
  KeepsEverything(const RunConfig& config, const std::filesystem::path& folder)
      : folder_(folder),
        keep_states_(config.run.keep_states),
        collector_(config.training.value_search_share),
        store_(RunFolder{folder}.database(), RunStore::Mode::Create),
        tensorboard_(folder / "tensorboard") {
    state_.network = config.network;
  }
  GameSink& sink() override { return collector_; }
  void fetch(ReplayWindow& window) override {
    const std::vector<CollectedGame> games = collector_.take();
    for (const CollectedGame& game : games) {
      calibration_.add(game.record);
      store_.add_game(game.record, game.encoded, static_cast<std::int64_t>(game.rows.size()));
      window.add(game.rows);
    }
    if (!games.empty()) store_.commit();
  }
  void progress(const Trainer& trainer, const ReplayWindow& window) override {
    if (Clock::now() - last_progress_ < kProgressInterval) return;
    last_progress_ = Clock::now();
    StoredProgress stored;
    stored.at = seconds_since_1970();
    stored.samples = trainer.samples();
    stored.rows = window.total();
    stored.window_rows = window.size();
    store_progress(store_, stored);
    store_.commit();
  }
  void finish(const Trainer& trainer) override {
    std::map<std::string, double> values = calibration_.metrics();
    for (int i = 0; std::ssize(values) < kMetrics; ++i)
      values["group/metric_" + std::to_string(i)] = i;
    store_.add_event("info", "an iteration");
    store_.add_metrics(trainer.samples(), values);
    store_.commit();
    tensorboard_.add_scalars(static_cast<double>(seconds_since_1970()), trainer.samples(), values);
    for (int i = 0; i < kStates; ++i) {
      store_.commit_durably();
      state_.trainer = trainer.state();
      save_state(RunFolder{folder_}.states(), state_, keep_states_);
    }
  }

 private:
  std::filesystem::path folder_;
  int keep_states_;
  GameCollector collector_;
  RunStore store_;
  TensorBoardWriter tensorboard_;
  ValueCalibration calibration_;
  RunState state_;
  Clock::time_point last_progress_;
};

struct Bench {
  RunConfig config;
  NetworkPtr network;
  Trainer trainer;
  TrainerState start;
  int steps = 0;  // of training in a round; those of the first one count

  explicit Bench(const RunConfig& configuration)
      : config(configuration),
        network(make_random_network(config.network, config.run.seed)),
        trainer(config.network, config.training, config.run.sample_budget, config.run.seed),
        start(trainer.state()) {}

  // Rounds with equal `first_game` play the same games, but for what batches of another make-up
  // change in the last bits of a network's answers.
  Cost round(Keeper& keeper, int games, std::uint64_t first_game) {
    trainer.restore(start);
    ReplayWindow window(config.training);
    const std::atomic<bool> go_on = false;
    const Cost begin = now();
    {
      SelfPlaySetup setup = self_play_setup(config, network);
      setup.first_game = first_game;
      SelfPlay self_play(std::move(setup), keeper.sink());
      self_play.start({games, Unfinished::Finish});
      while (!self_play.wait(kPatience)) {
        keeper.fetch(window);
        keeper.progress(trainer, window);
      }
      keeper.fetch(window);
    }
    if (steps == 0)
      steps =
          std::max(1, static_cast<int>(config.training.reuse * static_cast<double>(window.total()) /
                                       config.training.batch));
    for (int done = 0; done < steps; done += kPortion) {
      trainer.train(window, std::min(kPortion, steps - done), go_on);
      keeper.progress(trainer, window);
    }
    keeper.finish(trainer);
    const Cost end = now();
    return {end.wall - begin.wall, end.processor - begin.processor};
  }
};

void compare(const RunConfig& config, const std::filesystem::path& folder, int rounds, int games) {
  Bench bench(config);
  const auto bare = [&](std::uint64_t first_game) {
    KeepsNothing nothing(config.training.value_search_share);
    return bench.round(nothing, games, first_game);
  };
  const auto kept = [&](std::uint64_t first_game) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    KeepsEverything everything(config, folder);
    return bench.round(everything, games, first_game);
  };
  bare(0);  // caches of the processor, memory, threads
  std::vector<double> wall;
  std::vector<double> processor;
  for (int round = 0; round < rounds; ++round) {
    const auto first_game = static_cast<std::uint64_t>(round) << 32U;
    // There and back: what comes later may find the machine slower than what came before.
    const Cost bare_first = bare(first_game);
    const Cost with = kept(first_game) + kept(first_game);
    const Cost without = bare_first + bare(first_game);
    wall.push_back(with.wall / without.wall);
    processor.push_back(with.processor / without.processor);
    std::printf(
        "round %d: wall time %.2f s kept, %.2f s bare (%.4f); processor time %.2f and %.2f s "
        "(%.4f)\n",
        round + 1, with.wall / 2, without.wall / 2, wall.back(), with.processor / 2,
        without.processor / 2, processor.back());
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
  std::printf("median of %d rounds of %d games and %d steps: wall time %.4f, processor time %.4f\n",
              rounds, games, bench.steps, median(wall), median(processor));
}

}  // namespace
}  // namespace baghzero

int main(int argc, char** argv) {
  const auto number = [&](int index, int usual) {
    return argc > index ? std::atoi(argv[index]) : usual;
  };
  const std::filesystem::path folder = argc > 2 ? argv[2] : "store_bench.tmp";
  const int rounds = number(3, 7);
  const int games = number(4, 400);
  if (argc < 2 || argc > 5 || rounds < 1 || games < 1 || std::filesystem::exists(folder)) {
    std::fprintf(stderr,
                 "usage: store_bench CONFIG [FOLDER [ROUNDS [GAMES]]], where FOLDER does not exist "
                 "yet\n");
    return 2;
  }
  try {
    baghzero::compare(baghzero::load_config(argv[1]), folder, rounds, games);
  } catch (const std::exception& error) {
    std::filesystem::remove_all(folder);
    std::fprintf(stderr, "store_bench: error: %s\n", error.what());
    return 1;
  }
}
