// The rules a second time, for comparison: characters on a grid and coordinates, slow and plain,
// sharing nothing with the engine but the order of points.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/position.h"

namespace baghzero::naive {

struct State {
  // board[row][column]: 'B' tiger, 'G' goat, '.' empty.
  std::array<std::string, 5> board = {"B...B", ".....", ".....", ".....", "B...B"};
  int in_hand = 20;
  int captured = 0;
  char to_move = 'G';

  // All rows in one string: the situation that repetition compares.
  std::string situation() const;
  friend bool operator==(const State&, const State&) = default;
};

State from_position(const Position& position);

// Moves legal on the board, in their text form, sorted.
std::vector<std::string> moves(const State& state);
// The state after a move that moves() lists.
State after(const State& state, const std::string& move);

// Names of the points of goats that a tiger could take at once, of landing points of such
// captures, and of tigers that cannot move; each sorted and without duplicates.
std::vector<std::string> threatened_goats(const State& state);
std::vector<std::string> landings(const State& state);
std::vector<std::string> immobile_tigers(const State& state);

}  // namespace baghzero::naive
