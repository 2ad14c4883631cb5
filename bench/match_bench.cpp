// What a match costs beside its players: processor time of the whole process against that spent
// choosing moves.
#include <atomic>
#include <ctime>
#include <memory>

#include <benchmark/benchmark.h>

#include "engine/agents/alphabeta.h"
#include "selfplay/match.h"

namespace baghzero {
namespace {

std::atomic<std::int64_t> choosing_ns{0};

std::int64_t processor_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

// Counts the time of its thread inside choose(), the clock's own included.
class TimedAgent final : public Agent {
 public:
  explicit TimedAgent(std::unique_ptr<Agent> agent) : agent_(std::move(agent)) {}
  std::string name() const override { return agent_->name(); }
  void new_game(std::uint64_t seed) override {
    const std::int64_t begin = processor_ns(CLOCK_THREAD_CPUTIME_ID);
    agent_->new_game(seed);
    choosing_ns += processor_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
  }
  Action choose(const Game& game) override {
    const std::int64_t begin = processor_ns(CLOCK_THREAD_CPUTIME_ID);
    const Action action = agent_->choose(game);
    choosing_ns += processor_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    return action;
  }

 private:
  std::unique_ptr<Agent> agent_;
};

void BM_MatchOfAlphaBeta(benchmark::State& state) {
  Player player;
  player.name = "alphabeta";
  player.make_agent = [depth = static_cast<int>(state.range(0))] {
    return std::make_unique<TimedAgent>(make_alphabeta_agent({.depth = depth}));
  };
  MatchSettings settings;
  double all = 0;
  choosing_ns = 0;
  for (auto _ : state) {
    const std::int64_t begin = processor_ns(CLOCK_PROCESS_CPUTIME_ID);
    benchmark::DoNotOptimize(measure_against(player, player, 20, settings));
    all += static_cast<double>(processor_ns(CLOCK_PROCESS_CPUTIME_ID) - begin);
  }
  state.counters["overhead"] = all / static_cast<double>(choosing_ns.load()) - 1;
}
BENCHMARK(BM_MatchOfAlphaBeta)->Arg(2)->Arg(4)->Arg(6)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace baghzero

BENCHMARK_MAIN();
