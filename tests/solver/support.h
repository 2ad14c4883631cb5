// Helpers of the solver's tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/random.h"
#include "engine/solver/probe.h"
#include "tests/engine/naive_rules.h"

namespace baghzero::test {

// "goat", "tiger" or "draw", as the tables in tests/data say it.
std::string winner(Outcome outcome);

Position position_of(const naive::State& state);

// Any board with that many goats placed and captured, pieces on random points.
Position random_board(Random& random, int placed, int captured, Side side);

// A solution that is consistent for boards with up to `kConsistentCaptures - 1` captured: they are
// solved on top of random values for one more, and all beyond is a draw. Made once.
inline constexpr int kConsistentCaptures = 2;
const MovementTable& solved_on_random_values();
// Every position of the movement phase is a draw, or won for that side as soon as it can be.
MovementTable uniform_table(Outcome outcome);
// A new folder with that movement phase.
std::filesystem::path movement_folder(const MovementTable& table);

// The better of two values for `side`: by rank, then sooner if won and later if lost.
bool is_better(Side side, const SolvedValue& a, const SolvedValue& b);

// The value of a position from those one ply on, which `value_after` tells, by the naive rules.
template <class ValueAfter>
SolvedValue naive_value(const Position& position, ValueAfter value_after) {
  const Side side = position.side_to_move();
  const naive::State state = naive::from_position(position);
  SolvedValue best{win_for(opponent(side)), 0};
  for (const std::string& move : naive::moves(state)) {
    const naive::State reached = naive::after(state, move);
    SolvedValue value = reached.captured == kSolvedCaptures ? SolvedValue{Outcome::TigersWin, 0}
                                                            : value_after(position_of(reached));
    if (value.plies >= 0) ++value.plies;
    if (is_better(side, value, best)) best = value;
  }
  return best;
}

}  // namespace baghzero::test
