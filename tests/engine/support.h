// Helpers of the engine's tests.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/game.h"
#include "engine/random.h"

namespace baghzero {

// gtest prints values with these.
void PrintTo(const Position& position, std::ostream* out);
void PrintTo(const Rules& rules, std::ostream* out);
inline void PrintTo(Termination value, std::ostream* out) { *out << to_string(value); }
inline void PrintTo(Outcome value, std::ostream* out) { *out << to_string(value); }
inline void PrintTo(Side value, std::ostream* out) { *out << to_string(value); }

namespace testing_support {

// Names of the points of a bitboard, in ascending order.
std::vector<std::string> point_names(Bitboard board);

// A random element; `list` must not be empty.
Action random_action(const ActionList& list, Random& random);

// Four tigers and `goats` goats on random points, any side to move. `in_hand` and `captured` are
// taken as given.
Position random_placement(Random& random, int goats, int in_hand, int captured);

// A standard-size position with random numbers on the board, in hand and captured that add up to
// 20 (0..5 captured), pieces on random points.
Position random_position(Random& random);

}  // namespace testing_support
}  // namespace baghzero
