// How a search is told in UGI.
#pragma once

#include <string>
#include <vector>

#include "engine/position.h"
#include "play/analyst.h"

namespace baghzero {

// A value in -1..1 as the centi-points that users of chess engines know (lc0's formula, a tangent):
// 0.5 is about 90, 1 is 12,780.
int centi_points(double value);

// One line per line of the analysis: "info depth 9 seldepth 14 multipv 1 score cp 31 wdl 550 90 360
// nodes 800 nps 20000 time 40 pv G33 B1122". wdl is per mille for the side to move. A proven win or
// loss is "score mate N" in moves of the winner, negative if the side to move loses.
std::vector<std::string> info_lines(const Analysis& analysis, Side side);

}  // namespace baghzero
