// A fixed sample of solved positions: a yardstick that stays the same across versions and needs no
// database to be used.
//
// Text, a line per position: FEN;value for the side to move;moves that keep it, with blanks
// between. The first line names format and version, the last one the XXH3 checksum of all before.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/solver/judgement.h"

namespace baghzero {

inline constexpr int kSuiteVersion = 1;
inline constexpr int kSuitePositions = 20'000;

struct SuitePosition {
  Position position;
  int rank = 0;        // of the position for the side to move: 1 won, 0 drawn, -1 lost
  ActionList keeping;  // board-legal moves that keep it, ascending
};

// `count` positions, no two equal up to symmetry, as even as can be over phase, role and value. Won
// and drawn ones have a move that gives away value. They come from games in which both sides now
// keep the value and now move at random, and, where such games seldom lead, from random boards.
// Equal seeds give equal suites. `progress` is told how many there are. Throws std::runtime_error
// if a value is not known, that is, if placement layers are missing.
std::vector<SuitePosition> make_suite(SolvedProbe& probe, std::uint64_t seed, int count,
                                      const std::function<void(int)>& progress = {});

std::string format_suite(const std::vector<SuitePosition>& suite, std::uint64_t seed);
// Throws std::invalid_argument with a sentence for anything that format_suite() does not write.
std::vector<SuitePosition> parse_suite(std::string_view text);
// Its first line, which tells one suite from another: version, seed and number of positions.
std::string_view suite_title(std::string_view text);

}  // namespace baghzero
