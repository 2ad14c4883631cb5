// What a `go` asks for, and what that means for a search.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/position.h"
#include "play/analyst.h"

namespace baghzero {

struct GoRequest {
  std::optional<std::uint32_t> nodes;
  std::optional<int> depth;
  std::optional<std::int64_t> move_milliseconds;
  // Clocks of the goats (who move first) and the tigers, in milliseconds.
  std::array<std::optional<std::int64_t>, 2> clock;
  std::array<std::int64_t, 2> increment{};
  std::optional<int> moves_to_go;
  bool infinite = false;
  std::vector<std::string_view> ignored;  // words that were not understood or are not supported
};

// Reads the words after `go`. p1time and wtime are the first player's clock, p2time and btime the
// second's. Throws std::invalid_argument naming the word whose number is missing, no number or out
// of range: fewer than one node, ply or move, less than no time.
GoRequest parse_go(std::span<const std::string_view> words);

struct SearchPlan {
  AnalysisLimits limits;
  // Visits alone end the search. It starts from nothing then, so that its result can be had again.
  bool fresh = false;
};

// Without any limit for the player to move `default_visits` is one. Times are shortened by
// `overhead` milliseconds, which pass between this program and the one that looks at the clock.
SearchPlan plan_search(const GoRequest& request, Side side, std::uint32_t default_visits,
                       std::int64_t overhead);

}  // namespace baghzero
