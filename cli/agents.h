// Contestants named on the command line: "random", "greedy", "net:FILE[,visits=V][,temperature=T]",
// "perfect[:DB][,random=1]".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "selfplay/match.h"

namespace baghzero {

enum class AgentKind : std::uint8_t { Random, Greedy, Network, Perfect };

// What an agent text says, before anything is loaded.
struct AgentSpec {
  AgentKind kind = AgentKind::Random;
  std::filesystem::path file;  // Network; Perfect: the folder of the solved game
  int visits = -1;             // Network; -1: not given, 0: the bare policy
  double temperature = 0;      // Network; of the first kAgentTemperaturePlies after the opening
  bool random = false;         // Perfect; any move that keeps the value

  friend bool operator==(const AgentSpec&, const AgentSpec&) = default;
};
inline constexpr int kAgentTemperaturePlies = 10;

// Throws std::invalid_argument with a sentence that names the text, the fault and the forms.
AgentSpec parse_agent(std::string_view text);
// The grammar with a line on each form, for --help.
std::string agent_help();

// Loads the network if there is one. `default_visits` holds where the text gives none.
Player make_player(const AgentSpec& spec, int default_visits, const SearchSettings& search);

}  // namespace baghzero
