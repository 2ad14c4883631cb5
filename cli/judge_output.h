// What `baghzero judge` prints about a player.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "selfplay/judge.h"

namespace baghzero {

// Rows by role and phase: moves, moves that could give away value, how many did, the rate with its
// 95 % interval.
std::string mistakes_as_text(const MistakeTally& tally);
nlohmann::ordered_json mistakes_as_json(const MistakeTally& tally);
// Rows by role and phase: positions, share of moves that keep the value with its 95 % interval.
std::string suite_as_text(const SuiteReport& report);
nlohmann::ordered_json suite_as_json(const SuiteReport& report);

}  // namespace baghzero
