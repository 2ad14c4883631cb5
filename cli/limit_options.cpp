#include "cli/limit_options.h"

#include <algorithm>
#include <chrono>

#include <CLI/CLI.hpp>

#include "play/number_check.h"

namespace baghzero {

AgentDefaults LimitOptions::defaults() const {
  AgentDefaults defaults;
  if (visits) defaults.visits = *visits;
  defaults.time = std::chrono::milliseconds(milliseconds);
  return defaults;
}

void add_limit_options(CLI::App& command, LimitOptions& options) {
  CLI::Option* visits =
      command
          .add_option("--visits,-v", options.visits,
                      "Simulations per move of networks, nodes of ugi: engines [" +
                          std::to_string(AgentDefaults{}.visits) + "]")
          ->check(number_between(0, kMostVisits));
  command
      .add_option("--time", options.milliseconds,
                  "Milliseconds per move of networks and ugi: engines, instead of visits")
      ->check(number_between(1, kMostMilliseconds))
      ->excludes(visits);
}

void check_limits(const LimitOptions& options, std::span<const AgentSpec> players) {
  if ((!options.visits && options.milliseconds == 0) || std::ranges::any_of(players, takes_limits))
    return;
  throw CLI::ValidationError(
      options.visits ? "--visits" : "--time",
      "it matters to none of these players: only to networks and ugi: engines whose own text gives "
      "no limit");
}

}  // namespace baghzero
