#include "cli/agents.h"

#include <charconv>
#include <stdexcept>
#include <utility>

#include "engine/agents/agent.h"

namespace baghzero {
namespace {

constexpr int kMostVisits = 1'000'000;
constexpr std::string_view kForms =
    "agents are random, greedy or net:FILE, which may be followed by ,visits=V and ,temperature=T";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument("agent \"" + std::string(text) + "\": " + why + "; " +
                              std::string(kForms));
}

template <class Number>
Number parse_number(std::string_view agent, std::string_view name, std::string_view text,
                    Number low, Number high) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high))
    refuse(agent, std::string(name) + " must be a number from " + std::to_string(low) + " to " +
                      std::to_string(high) + ", not \"" + std::string(text) + "\"");
  return value;
}

void parse_option(std::string_view agent, std::string_view option, AgentSpec& spec) {
  const auto equals = option.find('=');
  if (equals == std::string_view::npos)
    refuse(agent, "expected name=value after the comma, not \"" + std::string(option) + "\"");
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = option.substr(equals + 1);
  if (name == "visits")
    spec.visits = parse_number(agent, name, value, 0, kMostVisits);
  else if (name == "temperature")
    spec.temperature = parse_number(agent, name, value, 0.0, 10.0);
  else
    refuse(agent, "unknown option \"" + std::string(name) + "\"");
}

}  // namespace

AgentSpec parse_agent(std::string_view text) {
  if (text == "random") return {.kind = AgentKind::Random, .file = {}};
  if (text == "greedy") return {.kind = AgentKind::Greedy, .file = {}};
  constexpr std::string_view kNet = "net:";
  if (!text.starts_with(kNet)) refuse(text, "no such agent");
  AgentSpec spec{.kind = AgentKind::Network, .file = {}};
  std::string_view rest = text.substr(kNet.size());
  const std::string_view file = rest.substr(0, rest.find(','));
  if (file.empty()) refuse(text, "the model file is missing");
  spec.file = file;
  rest.remove_prefix(file.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view option = rest.substr(0, rest.find(','));
    parse_option(text, option, spec);
    rest.remove_prefix(option.size());
  }
  return spec;
}

std::string agent_help() {
  return "Agents:\n"
         "  random          uniformly random legal moves\n"
         "  greedy          tigers take a goat when they can; goats avoid being taken; else "
         "random\n"
         "  net:FILE        a network (a .bzn file, e.g. runs/quick/models/gen-0002.bzn) with a\n"
         "                  search of --visits simulations per move\n"
         "    ,visits=V       its own number of simulations; 0 plays the bare policy\n"
         "    ,temperature=T  draws the first 10 moves after the opening by visits^(1/T)\n";
}

Player make_player(const AgentSpec& spec, int default_visits, const SearchSettings& search) {
  Player player;
  switch (spec.kind) {
    case AgentKind::Random:
      player.name = "random";
      player.make_agent = make_random_agent;
      return player;
    case AgentKind::Greedy:
      player.name = "greedy";
      player.make_agent = make_greedy_agent;
      return player;
    case AgentKind::Network:
      break;
  }
  player.network = load_network(spec.file);
  player.search = search;
  player.visits = spec.visits >= 0 ? spec.visits : default_visits;
  player.temperature = spec.temperature;
  player.opening_temperature_plies = spec.temperature > 0 ? kAgentTemperaturePlies : 0;
  player.name = spec.file.filename().string() + " at " + std::to_string(player.visits) + " visits";
  return player;
}

}  // namespace baghzero
