#include "cli/agents.h"

#include <charconv>
#include <memory>
#include <stdexcept>
#include <utility>

#include "engine/agents/agent.h"
#include "engine/agents/perfect_agent.h"
#include "engine/solver/database.h"

namespace baghzero {
namespace {

constexpr int kMostVisits = 1'000'000;
constexpr std::string_view kForms =
    "agents are random, greedy, perfect[:DB], which may be followed by ,random=1, or net:FILE, "
    "which "
    "may be followed by ,visits=V and ,temperature=T";

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
  const bool network = spec.kind == AgentKind::Network;
  if (network && name == "visits")
    spec.visits = parse_number(agent, name, value, 0, kMostVisits);
  else if (network && name == "temperature")
    spec.temperature = parse_number(agent, name, value, 0.0, 10.0);
  else if (!network && name == "random")
    spec.random = parse_number(agent, name, value, 0, 1) == 1;
  else
    refuse(agent, "unknown option \"" + std::string(name) + "\"");
}

}  // namespace

AgentSpec parse_agent(std::string_view text) {
  if (text == "random") return {.kind = AgentKind::Random, .file = {}};
  if (text == "greedy") return {.kind = AgentKind::Greedy, .file = {}};
  constexpr std::string_view kNet = "net:";
  constexpr std::string_view kPerfect = "perfect";
  AgentSpec spec;
  std::string_view rest;
  if (text.starts_with(kNet)) {
    spec.kind = AgentKind::Network;
    rest = text.substr(kNet.size());
    spec.file = rest.substr(0, rest.find(','));
    if (spec.file.empty()) refuse(text, "the model file is missing");
    rest.remove_prefix(spec.file.native().size());
  } else if (text == kPerfect || text.starts_with("perfect:") || text.starts_with("perfect,")) {
    spec.kind = AgentKind::Perfect;
    rest = text.substr(kPerfect.size());
    if (rest.starts_with(':')) {
      spec.file = rest.substr(1, rest.find(',') - 1);
      if (spec.file.empty()) refuse(text, "the folder of the solved game is missing");
      rest.remove_prefix(1 + spec.file.native().size());
    } else {
      spec.file = default_database_folder();
    }
  } else {
    refuse(text, "no such agent");
  }
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
         "    ,temperature=T  draws the first 10 moves after the opening by visits^(1/T)\n"
         "  perfect[:DB]    plays by the solved game in that folder ($BAGHZERO_DB, else solved)\n"
         "    ,random=1       plays any move that keeps the value\n";
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
    case AgentKind::Perfect:
      player.name = "perfect";
      player.make_agent = [database = std::make_shared<const SolvedDatabase>(spec.file),
                           random = spec.random] {
        return make_perfect_agent(database, {.random = random});
      };
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
