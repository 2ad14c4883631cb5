// Players named on the command line, by one grammar for every command; agent_help() shows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "selfplay/match.h"

namespace baghzero {

enum class AgentKind : std::uint8_t { Random, Greedy, AlphaBeta, Mcts, Network, Perfect, Ugi };

// What an agent text says, before anything is loaded.
struct AgentSpec {
  AgentKind kind = AgentKind::Random;
  int depth = 0;                        // AlphaBeta; 0: by time
  int rollouts = 0;                     // Mcts
  std::filesystem::path file;           // Network; Perfect: the folder of the solved game
  std::string command = {};             // Ugi
  int visits = -1;                      // Network, Ugi; -1: not given, 0: the bare policy
  std::chrono::milliseconds time{};     // per move, AlphaBeta, Network, Ugi; 0: not limited by time
  std::chrono::milliseconds timeout{};  // Ugi; 0: not given
  double temperature = 0;  // Network; of the first kAgentTemperaturePlies after the opening
  bool random = false;     // Perfect; any move that keeps the value

  friend bool operator==(const AgentSpec&, const AgentSpec&) = default;
};
inline constexpr int kAgentTemperaturePlies = 10;
inline constexpr int kMostVisits = 1'000'000;
inline constexpr int kMostMilliseconds = 3'600'000;

// Throws std::invalid_argument with a sentence that names the text, the fault and the forms.
AgentSpec parse_agent(std::string_view text);
// "" if `text` is an agent, else the sentence of parse_agent(): for command-line checks.
std::string check_agent(const std::string& text);
// The agents of a list: the parts between semicolons, without the spaces around them, "" where
// there is nothing between two. None if there is nothing at all.
std::vector<std::string> split_agents(std::string_view list);
// The grammar with a line on each form, for --help.
std::string agent_help();

// What holds where the text of an agent says nothing, and what network players work with.
struct AgentDefaults {
  int visits = 64;
  std::chrono::milliseconds time{};  // per move; 0: by visits
  SearchSettings search;
  InferenceSettings inference;
  WarningSink on_warning;  // of evaluators that agents make; see make_evaluator_of()
};
// Whether the visits and the time of AgentDefaults matter to it.
bool takes_limits(const AgentSpec& spec);
// Loads the network if there is one. The player's name is short and tells agents apart that differ
// in anything but the folder of their file.
Player make_player(const AgentSpec& spec, const AgentDefaults& defaults);

}  // namespace baghzero
