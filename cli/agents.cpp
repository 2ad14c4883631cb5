#include "cli/agents.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "engine/agents/agent.h"
#include "engine/agents/alphabeta.h"
#include "engine/agents/mcts.h"
#include "engine/agents/perfect_agent.h"
#include "engine/agents/search_agent.h"
#include "engine/solver/database.h"
#include "engine/solver/probe.h"
#include "selfplay/ugi_agent.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

constexpr std::string_view kForms =
    "agents are random, greedy, alphabeta:DEPTH, alphabeta:MSms, mcts:N, net:FILE, gen:RUN/N, "
    "policy:FILE, perfect[:DB] and ugi:COMMAND; --help explains them";

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

// "250ms"; the unit has been seen.
std::chrono::milliseconds parse_time(std::string_view agent, std::string_view text) {
  text.remove_suffix(2);
  return std::chrono::milliseconds(parse_number(agent, "a time in ms", text, 1, kMostMilliseconds));
}

void parse_option(std::string_view agent, std::string_view option, AgentSpec& spec) {
  const auto equals = option.find('=');
  if (equals == std::string_view::npos)
    refuse(agent, "expected name=value after the comma, not \"" + std::string(option) + "\"");
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = option.substr(equals + 1);
  const bool network = spec.kind == AgentKind::Network;
  const bool engine = spec.kind == AgentKind::Ugi;
  if ((network || engine) && name == "visits") {
    spec.visits = parse_number(agent, name, value, engine ? 1 : 0, kMostVisits);
  } else if (network && name == "temperature") {
    spec.temperature = parse_number(agent, name, value, 0.0, 10.0);
  } else if (((network || engine) && name == "time") || (engine && name == "timeout")) {
    if (!value.ends_with("ms"))
      refuse(agent, std::string(name) + " must be given in ms, as in " + std::string(name) +
                        "=250ms, not \"" + std::string(value) + "\"");
    (name == "time" ? spec.time : spec.timeout) = parse_time(agent, value);
  } else if (spec.kind == AgentKind::Perfect && name == "random") {
    spec.random = parse_number(agent, name, value, 0, 1) == 1;
  } else {
    refuse(agent, "unknown option \"" + std::string(name) + "\"");
  }
}

// What stands before the first comma; the options behind it go into `spec`.
std::string_view take_options(std::string_view agent, std::string_view rest, AgentSpec& spec) {
  const std::string_view front = rest.substr(0, rest.find(','));
  rest.remove_prefix(front.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view option = rest.substr(0, rest.find(','));
    parse_option(agent, option, spec);
    rest.remove_prefix(option.size());
  }
  return front;
}

AgentSpec parse_alphabeta(std::string_view agent, std::string_view rest) {
  AgentSpec spec{.kind = AgentKind::AlphaBeta, .file = {}};
  if (rest.ends_with("ms"))
    spec.time = parse_time(agent, rest);
  else
    spec.depth = parse_number(agent, "the depth", rest, 1, AlphaBetaLimits::kMaxDepth);
  return spec;
}

AgentSpec parse_mcts(std::string_view agent, std::string_view rest) {
  AgentSpec spec{.kind = AgentKind::Mcts, .file = {}};
  spec.rollouts =
      parse_number(agent, "the number of rollouts", rest, 1, MctsSettings::kMaxRollouts);
  return spec;
}

AgentSpec parse_network(std::string_view agent, std::string_view rest) {
  AgentSpec spec{.kind = AgentKind::Network, .file = {}};
  spec.file = take_options(agent, rest, spec);
  if (spec.file.empty()) refuse(agent, "the model file is missing");
  return spec;
}

AgentSpec parse_policy(std::string_view agent, std::string_view rest) {
  AgentSpec spec = parse_network(agent, rest);
  if (spec.visits >= 0 || spec.time.count() > 0)
    refuse(agent, "a policy plays without a search, so neither visits nor time apply");
  spec.visits = 0;
  return spec;
}

AgentSpec parse_generation(std::string_view agent, std::string_view rest) {
  AgentSpec spec{.kind = AgentKind::Network, .file = {}};
  const std::string_view which = take_options(agent, rest, spec);
  const auto slash = which.rfind('/');
  if (slash == std::string_view::npos || slash == 0)
    refuse(agent, "a run and a generation are wanted, as in gen:runs/quick/3");
  constexpr int kMostGenerations = 1'000'000;
  const int number =
      parse_number(agent, "the generation", which.substr(slash + 1), 0, kMostGenerations);
  spec.file = std::filesystem::path(which.substr(0, slash)) / RunFolder::model_name(number);
  return spec;
}

// ":DB,random=1", ",random=1" or nothing.
AgentSpec parse_perfect(std::string_view agent, std::string_view rest) {
  AgentSpec spec{.kind = AgentKind::Perfect, .file = {}};
  const bool named = rest.starts_with(':');
  if (named) rest.remove_prefix(1);
  const std::string_view folder = take_options(agent, rest, spec);
  if (named && folder.empty()) refuse(agent, "the folder of the solved game is missing");
  spec.file = named ? std::filesystem::path(folder) : default_database_folder();
  return spec;
}

// ":COMMAND" or ",visits=400:COMMAND". Options stand before the command, which may hold anything.
AgentSpec parse_ugi(std::string_view agent, std::string_view rest) {
  AgentSpec spec{.kind = AgentKind::Ugi, .file = {}};
  const auto colon = rest.find(':');
  if (colon == std::string_view::npos || !take_options(agent, rest.substr(0, colon), spec).empty())
    refuse(agent, "a command is wanted, as in ugi:./engine or ugi,visits=400:./engine");
  spec.command = rest.substr(colon + 1);
  if (spec.command.find_first_not_of(' ') == std::string::npos)
    refuse(agent, "the command of the engine is missing");
  return spec;
}

struct Form {
  std::string_view prefix;
  AgentSpec (*parse)(std::string_view agent, std::string_view rest);
};
constexpr std::array<Form, 5> kFormsWithArgument = {{{"alphabeta:", parse_alphabeta},
                                                     {"mcts:", parse_mcts},
                                                     {"net:", parse_network},
                                                     {"gen:", parse_generation},
                                                     {"policy:", parse_policy}}};

std::string text_of(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

std::string with_limit(std::string name, std::chrono::milliseconds time, int visits) {
  if (time.count() > 0)
    return name.append(" at ").append(std::to_string(time.count())).append(" ms");
  return name.append(" at ").append(std::to_string(visits)).append(" visits");
}

// Why a model file of a run is not there, as an error; nothing if it is, or if it is another file.
void check_generation(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const fs::path models = fs::absolute(file).parent_path();
  if (models.filename() != "models" || fs::exists(file)) return;
  const RunFolder run{file.parent_path().parent_path()};
  if (const std::string fault = run.fault(); !fault.empty())
    throw std::runtime_error("there is no " + file.filename().string() + " in " +
                             file.parent_path().string() + ": " + fault);
  const auto all = RunStore(run.database(), RunStore::Mode::ReadOnly).generations();
  std::string known = "none yet";
  if (!all.empty()) {
    known = std::to_string(all.front().number);
    if (all.size() > 1) known.append(" to ").append(std::to_string(all.back().number));
  }
  throw std::runtime_error("there is no " + file.filename().string() + " in the run " +
                           run.root.string() + "; its generations are " + known);
}

Player make_network_player(const AgentSpec& spec, const AgentDefaults& defaults) {
  check_generation(spec.file);
  Player player;
  player.search = defaults.search;
  player.temperature = spec.temperature;
  player.opening_temperature_plies = spec.temperature > 0 ? kAgentTemperaturePlies : 0;
  const auto time = spec.time.count() > 0 || spec.visits >= 0 ? spec.time : defaults.time;
  const NetworkPtr network = load_network(spec.file);
  if (time.count() > 0) {
    player.name = with_limit(model_title(spec.file), time, 0);
    if (defaults.search.solver) player.name.append(", search.solver");
    SearchAgentSettings settings;
    settings.search = defaults.search;
    settings.time_per_move = time;
    settings.temperature = spec.temperature;
    settings.temperature_plies = player.opening_temperature_plies;
    Player asked;
    asked.network = network;
    player.make_agent = [asked, settings, inference = defaults.inference,
                         on_warning = defaults.on_warning, name = player.name] {
      return make_search_agent(name, make_evaluator_of(asked, inference, on_warning), settings);
    };
  } else {
    player.network = network;
    player.visits = spec.visits >= 0 ? spec.visits : defaults.visits;
    player.name = network_player_name(spec.file, player.visits, defaults.search.solver);
  }
  if (spec.temperature > 0) player.name.append(", temperature ").append(text_of(spec.temperature));
  return player;
}

// What the agents of all games that wait side by side in one thread may take. They do so only
// against a network, which wants many games for its batches.
constexpr std::size_t kAgentBytesPerWorker = std::size_t{64} << 20;

Player make_agent_player(std::string name, std::function<std::unique_ptr<Agent>()> make_agent,
                         std::size_t bytes_per_agent = 0) {
  Player player;
  player.name = std::move(name);
  player.make_agent = std::move(make_agent);
  if (bytes_per_agent > 0)
    player.most_games_per_worker =
        std::max(1, static_cast<int>(kAgentBytesPerWorker / bytes_per_agent));
  return player;
}

Player make_perfect_player(const AgentSpec& spec) {
  const auto database = std::make_shared<const SolvedDatabase>(spec.file);
  Player player = make_agent_player(
      spec.random ? "perfect, random" : "perfect",
      [database, random = spec.random] { return make_perfect_agent(database, {.random = random}); },
      SolvedProbe::kCacheBytes);
  player.why_not_playable = [database](std::span<const Game> openings) {
    // What is known of the earliest one is known of the others.
    const auto earliest = std::ranges::max_element(
        openings, {}, [](const Game& game) { return game.position().goats_in_hand(); });
    return earliest == openings.end() ? std::string() : why_not_perfect(database, *earliest);
  };
  return player;
}

Player make_engine_player(const AgentSpec& spec, const AgentDefaults& defaults) {
  UgiAgentSettings settings;
  settings.command = spec.command;
  settings.nodes = spec.visits > 0 ? spec.visits : std::max(1, defaults.visits);
  settings.time = spec.time.count() > 0 || spec.visits > 0 ? spec.time : defaults.time;
  if (spec.timeout.count() > 0) settings.timeout = spec.timeout;
  Player player = make_agent_player(
      with_limit("ugi:" + spec.command, settings.time, settings.nodes), make_ugi_agents(settings));
  player.most_games_per_worker = 1;
  return player;
}

}  // namespace

AgentSpec parse_agent(std::string_view text) {
  if (text == "random") return {.kind = AgentKind::Random, .file = {}};
  if (text == "greedy") return {.kind = AgentKind::Greedy, .file = {}};
  for (const Form& form : kFormsWithArgument)
    if (text.starts_with(form.prefix)) return form.parse(text, text.substr(form.prefix.size()));
  constexpr std::string_view kPerfect = "perfect";
  if (text == kPerfect || text.starts_with("perfect:") || text.starts_with("perfect,"))
    return parse_perfect(text, text.substr(kPerfect.size()));
  constexpr std::string_view kUgi = "ugi";
  if (text.starts_with("ugi:") || text.starts_with("ugi,"))
    return parse_ugi(text, text.substr(kUgi.size()));
  refuse(text, "no such agent");
}

std::string check_agent(const std::string& text) {
  try {
    parse_agent(text);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::vector<std::string> split_agents(std::string_view list) {
  std::vector<std::string> agents;
  if (list.find_first_not_of(' ') == std::string_view::npos) return agents;
  for (;;) {
    const auto semicolon = list.find(';');
    const std::string_view part = list.substr(0, semicolon);
    const auto begin = std::min(part.find_first_not_of(' '), part.size());
    agents.emplace_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
    if (semicolon == std::string_view::npos) return agents;
    list.remove_prefix(semicolon + 1);
  }
}

std::string agent_help() {
  return "Agents:\n"
         "  random             uniformly random legal moves\n"
         "  greedy             tigers take a goat when they can; goats avoid being taken; else\n"
         "                     random\n"
         "  alphabeta:DEPTH    a classic search of DEPTH plies, e.g. alphabeta:6\n"
         "  alphabeta:MSms     the same for so many milliseconds per move, e.g. alphabeta:100ms\n"
         "  mcts:N             Monte Carlo tree search with N random games per move, e.g. "
         "mcts:1000\n"
         "  net:FILE           a network (e.g. net:runs/quick/models/gen-0002.bzn) with a search\n"
         "  gen:RUN/N          the same for generation N of a run, e.g. gen:runs/quick/2\n"
         "  policy:FILE        a network's policy, without a search\n"
         "Networks may be followed by options, e.g. gen:runs/quick/2,visits=400:\n"
         "    ,visits=V        simulations per move; 0 plays the bare policy\n"
         "    ,time=MSms       search so many milliseconds per move instead\n"
         "    ,temperature=T   draw moves by visits^(1/T) for 10 plies after the opening\n"
         "  perfect[:DB]       plays by the solved game in that folder ($BAGHZERO_DB, else "
         "solved)\n"
         "    ,random=1        play any move that keeps the value\n"
         "  ugi:COMMAND        any engine that speaks UGI, e.g. ugi:build/baghzero-engine; it\n"
         "                     forfeits a game in which it fails. Its options stand before the\n"
         "                     command, e.g. \"ugi,visits=400:./engine --model x.bzn\":\n"
         "    ,visits=V        go nodes V\n"
         "    ,time=MSms       go movetime MS\n"
         "    ,timeout=MSms    how long it may be silent, beyond its time [30000ms]\n";
}

bool takes_limits(const AgentSpec& spec) {
  const bool thinks = spec.kind == AgentKind::Network || spec.kind == AgentKind::Ugi;
  return thinks && spec.visits < 0 && spec.time.count() == 0;
}

Player make_player(const AgentSpec& spec, const AgentDefaults& defaults) {
  switch (spec.kind) {
    case AgentKind::Random:
      return make_agent_player("random", make_random_agent);
    case AgentKind::Greedy:
      return make_agent_player("greedy", make_greedy_agent);
    case AgentKind::AlphaBeta: {
      AlphaBetaLimits limits;
      if (spec.depth > 0) limits.depth = spec.depth;
      limits.time_per_move = spec.time;
      return make_agent_player(
          make_alphabeta_agent(limits)->name(), [limits] { return make_alphabeta_agent(limits); },
          AlphaBetaSearch::kDefaultTableBytes);
    }
    case AgentKind::Mcts: {
      MctsSettings settings;
      settings.rollouts = spec.rollouts;
      return make_agent_player(
          make_mcts_agent(settings)->name(), [settings] { return make_mcts_agent(settings); },
          MctsSearch::bytes(settings));
    }
    case AgentKind::Perfect:
      return make_perfect_player(spec);
    case AgentKind::Ugi:
      return make_engine_player(spec, defaults);
    case AgentKind::Network:
      break;
  }
  return make_network_player(spec, defaults);
}

}  // namespace baghzero
