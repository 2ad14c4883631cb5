// What a match costs beside its players: processor time of a match between agents that only repeat
// the moves of earlier games, against that of the same games with the agents that chose them.
#include <cstdint>
#include <ctime>
#include <memory>
#include <unordered_map>

#include <benchmark/benchmark.h>

#include "engine/agents/alphabeta.h"
#include "selfplay/match.h"
#include "selfplay/match_worker.h"

namespace baghzero {
namespace {

constexpr int kPairs = 100;  // what `baghzero match` plays unless told otherwise

// Games by the seeds of both their players.
using PlayedGames = std::unordered_map<std::uint64_t, Game>;

class RepeatingAgent final : public Agent {
 public:
  explicit RepeatingAgent(const PlayedGames& games) : games_(games) {}
  std::string name() const override { return "repeating"; }
  void new_game(std::uint64_t seed) override { moves_ = games_.at(seed).moves(); }
  Action choose(const Game& game) override {
    return moves_[static_cast<std::size_t>(game.plies())];
  }

 private:
  const PlayedGames& games_;
  std::span<const Action> moves_;
};

Player agent_player(std::function<std::unique_ptr<Agent>()> make_agent) {
  Player player;
  player.name = "agent";
  player.make_agent = std::move(make_agent);
  return player;
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of_match(const Player& player) {
  const double begin = processor_seconds();
  benchmark::DoNotOptimize(measure_against(player, player, kPairs, {}));
  return processor_seconds() - begin;
}

PlayedGames games_of_match(const Player& player) {
  const MatchSettings settings;
  PlayedGames games;
  play_match(player, player, make_openings(settings.rules, kPairs, settings.seed), settings,
             [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
               for (const MatchGame* game : {&as_goat, &as_tiger})
                 for (const int side : {0, 1})
                   games.emplace(player_seed(settings.seed, game->pair, game->first_is_tiger, side),
                                 game->game);
               return true;
             });
  return games;
}

void BM_MatchOfAlphaBeta(benchmark::State& state) {
  const Player player = agent_player([depth = static_cast<int>(state.range(0))] {
    return make_alphabeta_agent({.depth = depth});
  });
  const PlayedGames games = games_of_match(player);
  const Player repeating =
      agent_player([&games] { return std::make_unique<RepeatingAgent>(games); });
  double whole = 0;
  double runner = 0;
  for (auto _ : state) {
    whole += seconds_of_match(player);
    runner += seconds_of_match(repeating);
  }
  state.counters["overhead"] = runner / (whole - runner);
  state.counters["runner_us_per_game"] =
      1e6 * runner / (2.0 * kPairs * static_cast<double>(state.iterations()));
}
BENCHMARK(BM_MatchOfAlphaBeta)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace baghzero

BENCHMARK_MAIN();
