// The options --visits and --time, by which several commands limit how long players think.
#pragma once

#include <optional>
#include <span>

#include "cli/agents.h"

namespace CLI {
class App;
}

namespace baghzero {

struct LimitOptions {
  std::optional<int> visits;
  int milliseconds = 0;  // 0: not given

  // AgentDefaults with these limits, all else as it is.
  AgentDefaults defaults() const;
};

// Adds both options, which exclude each other. `options` must outlive the parsing.
void add_limit_options(CLI::App& command, LimitOptions& options);

// Throws CLI::ValidationError if an option was given that matters to none of the players.
void check_limits(const LimitOptions& options, std::span<const AgentSpec> players);

}  // namespace baghzero
