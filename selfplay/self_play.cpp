#include "selfplay/self_play.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "engine/solver/movement.h"
#include "engine/thread_count.h"
#include "selfplay/game_writer.h"
#include "selfplay/phase_control.h"
#include "selfplay/published_network.h"
#include "selfplay/worker.h"

namespace baghzero {
namespace {

SelfPlaySetup checked(SelfPlaySetup setup) {
  check_rules(setup.rules);
  check_self_play_settings(setup.settings);
  if (setup.settings.adjudicate == Adjudicate::Solver &&
      (!setup.settings.search.solved || !is_solved_game(setup.rules)))
    throw std::invalid_argument(
        "selfplay.adjudicate = \"solver\" needs the solved movement phase (solver.db) and its "
        "game");
  if (!setup.network) throw std::invalid_argument("self-play was given no network");
  if (!setup.make_evaluator)
    throw std::invalid_argument("self-play was given no evaluator factory");
  setup.settings.workers = thread_count(setup.settings.workers);
  return setup;
}

}  // namespace

class SelfPlay::Implementation {
 public:
  Implementation(SelfPlaySetup setup, GameSink& sink)
      : setup_(checked(std::move(setup))),
        networks_(setup_.network),
        control_(setup_.settings.workers, setup_.first_game),
        writer_(sink, control_, setup_.ordered) {
    for (int number = 0; number < setup_.settings.workers; ++number)
      workers_.push_back(
          std::make_unique<SelfPlayWorker>(number, setup_, networks_, control_, writer_));
    try {
      for (const auto& worker : workers_)
        threads_.emplace_back([&running = *worker] { running.run(); });
    } catch (...) {
      join();
      throw;
    }
  }
  ~Implementation() { join(); }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  PhaseControl& control() { return control_; }
  PublishedNetwork& networks() { return networks_; }
  int workers() const { return static_cast<int>(workers_.size()); }

  SelfPlayCounters counters() const {
    SelfPlayCounters sum;
    for (const auto& worker : workers_) sum += worker->counters();
    return sum;
  }

  std::vector<std::uint64_t> work() const {
    std::vector<std::uint64_t> done;
    for (const auto& worker : workers_) {
      const SelfPlayCounters counters = worker->counters();
      done.push_back(counters.simulations + counters.rows + counters.cache_hits);
    }
    return done;
  }
  double take_queue_peak() { return writer_.take_queue_peak(); }

 private:
  void join() {
    control_.shut_down();
    for (std::thread& thread : threads_) thread.join();
  }

  const SelfPlaySetup setup_;
  PublishedNetwork networks_;
  PhaseControl control_;
  GameWriter writer_;
  std::vector<std::unique_ptr<SelfPlayWorker>> workers_;
  std::vector<std::thread> threads_;
};

SelfPlay::SelfPlay(SelfPlaySetup setup, GameSink& sink)
    : implementation_(std::make_unique<Implementation>(std::move(setup), sink)) {}

SelfPlay::~SelfPlay() = default;

void SelfPlay::start(const PhaseGoal& goal) { implementation_->control().start(goal); }

void SelfPlay::stop(Unfinished unfinished) { implementation_->control().stop(unfinished); }

bool SelfPlay::wait(std::chrono::milliseconds patience) {
  return implementation_->control().wait(patience);
}

void SelfPlay::wait() { implementation_->control().wait(std::nullopt); }

void SelfPlay::set_network(NetworkPtr network) {
  if (!network) throw std::invalid_argument("self-play was given no network");
  implementation_->networks().publish(std::move(network));
}

SelfPlayCounters SelfPlay::counters() const { return implementation_->counters(); }

std::vector<std::uint64_t> SelfPlay::work() const { return implementation_->work(); }

double SelfPlay::take_queue_peak() { return implementation_->take_queue_peak(); }

int SelfPlay::workers() const { return implementation_->workers(); }

std::uint64_t SelfPlay::next_game() const { return implementation_->control().next_game(); }

}  // namespace baghzero
