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
// Rows by role and phase: positions, share of them whose true result is the one thought most
// likely, with its 95 % interval, and mean cross-entropy in nats.
std::string values_as_text(const ByRoleAndPhase<ValueCounts>& values);
nlohmann::ordered_json values_as_json(const ByRoleAndPhase<ValueCounts>& values);

}  // namespace baghzero
