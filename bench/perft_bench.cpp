// How fast the rules are: perft, move generation and whole games.
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/evaluation.h"
#include "engine/notation.h"
#include "engine/perft.h"
#include "engine/random.h"

namespace baghzero {
namespace {

constexpr const char* kStart = "B3B/5/5/5/B3B G 0";
constexpr const char* kMovement = "G3G/GGGGB/G1GGG/GBG1B/GGGGB G 20";

void perft_leaves(benchmark::State& state, const char* fen, Repetition repetition) {
  Rules rules;
  rules.repetition = repetition;
  const Game game = game_from_fen(fen, rules);
  std::uint64_t leaves = 0;
  for (auto _ : state) leaves += perft(game, static_cast<int>(state.range(0)));
  state.counters["leaves/s"] =
      benchmark::Counter(static_cast<double>(leaves), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(perft_leaves, start_off, kStart, Repetition::Off)
    ->DenseRange(6, 8)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(perft_leaves, movement_off, kMovement, Repetition::Off)
    ->DenseRange(6, 7)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(perft_leaves, movement_threefold, kMovement, Repetition::Threefold)
    ->DenseRange(6, 7)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(perft_leaves, movement_forbidden, kMovement, Repetition::Forbidden)
    ->DenseRange(6, 7)
    ->Unit(benchmark::kMillisecond);

// Positions of random games: what a search meets, in size and mixture.
std::vector<Game> random_games(int count) {
  Random random(1);
  std::vector<Game> games;
  while (static_cast<int>(games.size()) < count) {
    Game game;
    while (!game.over())
      game.play(game.legal()[static_cast<int>(
          random.below(static_cast<std::uint32_t>(game.legal().size())))]);
    games.push_back(game);
  }
  return games;
}
std::vector<Position> random_positions() {
  std::vector<Position> positions;
  for (const Game& game : random_games(200))
    positions.insert(positions.end(), game.positions().begin(), game.positions().end());
  return positions;
}

template <class Work>
void per_position(benchmark::State& state, Work work) {
  const std::vector<Position> positions = random_positions();
  for (auto _ : state)
    for (const Position& position : positions) benchmark::DoNotOptimize(work(position));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(positions.size()));
}
void list_moves(benchmark::State& state) {
  ActionList list;
  per_position(state, [&](const Position& position) {
    board_legal_actions(position, list);
    return list.size();
  });
}
BENCHMARK(list_moves);
void count_moves(benchmark::State& state) {
  per_position(state, [](const Position& p) { return count_board_legal_actions(p); });
}
BENCHMARK(count_moves);
void canonical_position(benchmark::State& state) {
  per_position(state, [](const Position& p) { return canonical(p).symmetry; });
}
BENCHMARK(canonical_position);
void query_key(benchmark::State& state) {
  per_position(state, [](const Position& p) {
    return make_key({p, board_legal_actions(p), 0}).allowed;
  });
}
BENCHMARK(query_key);

// Plies per second of whole games with their history, legality and ends.
void replay_games(benchmark::State& state) {
  const std::vector<Game> games = random_games(50);
  std::int64_t plies = 0;
  for (auto _ : state)
    for (const Game& game : games) {
      Game replayed(game.rules());
      for (const Action action : game.moves()) replayed.play(action);
      benchmark::DoNotOptimize(replayed.outcome());
      plies += replayed.plies();
    }
  state.SetItemsProcessed(plies);
}
BENCHMARK(replay_games);

}  // namespace
}  // namespace baghzero

BENCHMARK_MAIN();
