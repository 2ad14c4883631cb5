#include "selfplay/ladder.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/agents.h"
#include "cli/commands/commands.h"
#include "cli/config.h"
#include "cli/ladder_output.h"
#include "cli/limit_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "engine/text.h"
#include "play/number_check.h"
#include "selfplay/game_file.h"
#include "training/ladder_store.h"
#include "training/run_folder.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

constexpr std::int64_t kUsualPairs = 300;
constexpr std::int64_t kMostPairs = 1'000'000'000;

struct Options {
  std::vector<std::string> entries;
  std::int64_t pairs = 0;
  double minutes = 0;
  LimitOptions limits;
  int generations = 8;
  std::vector<std::string> baselines = {"random", "greedy", "alphabeta:2", "alphabeta:4"};
  std::string anchor;
  std::uint64_t seed = kLadderSeed;
  bool fresh = false;
  std::string config;
  std::vector<std::string> overrides;
  std::string csv_file;
  std::string html_file;
};

bool is_run(const std::string& entry) { return RunFolder{entry}.holds_run(); }

std::string check_entry(const std::string& entry) {
  if (std::filesystem::is_directory(entry)) return RunFolder{entry}.fault();
  return check_agent(entry);
}

struct Participant {
  std::string agent;  // by the grammar of agents
  std::optional<int> generation;
};

// At most `count` generations of a run, the first and the last among them, evenly spread.
std::vector<Participant> generations_of(const std::string& run, int count) {
  const auto all = RunStore(RunFolder{run}.database(), RunStore::Mode::ReadOnly).generations();
  const auto available = static_cast<int>(all.size());
  std::vector<Participant> participants;
  const int chosen = std::min(count, available);
  for (int i = 0; i < chosen; ++i) {
    const int index = chosen > 1 ? i * (available - 1) / (chosen - 1) : available - 1;
    const int number = all[static_cast<std::size_t>(index)].number;
    participants.push_back({"gen:" + run + "/" + std::to_string(number), number});
  }
  return participants;
}

struct Participants {
  std::string run;  // the first one named; its database keeps games and ratings. Empty: none
  std::vector<Participant> all;
};

Participants participants_of(const Options& options) {
  Participants participants;
  const auto add = [&all = participants.all](const Participant& participant) {
    const bool known = std::ranges::any_of(
        all, [&](const Participant& other) { return other.agent == participant.agent; });
    if (!known) all.push_back(participant);
  };
  for (std::string entry : options.entries) {
    if (!is_run(entry)) {
      add({entry, std::nullopt});
      continue;
    }
    while (entry.ends_with('/')) entry.pop_back();
    if (participants.run.empty()) {
      participants.run = entry;
      for (const std::string& baseline : options.baselines) add({baseline, std::nullopt});
    }
    for (Participant participant : generations_of(entry, options.generations)) {
      if (entry != participants.run) participant.generation.reset();
      add(participant);
    }
  }
  return participants;
}

RunConfig config_of(const Options& options, const Participants& participants) {
  const RunFolder run{participants.run};
  if (options.config.empty() && !participants.run.empty() && std::filesystem::exists(run.config()))
    return load_run_config(run, options.overrides);
  return load_config_or_defaults(options.config, options.overrides);
}

int anchor_index(const std::string& wanted, const Participants& participants,
                 const std::vector<std::string>& names) {
  const auto index_of = [&](const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name || participants.all[i].agent == name) return static_cast<int>(i);
    return -1;
  };
  // Against a random player most score so high that the distance says little.
  if (wanted.empty())
    return index_of("greedy") >= 0 ? index_of("greedy") : std::max(0, index_of("random"));
  const int index = index_of(wanted);
  if (index < 0)
    throw std::invalid_argument("the anchor \"" + wanted + "\" is none of the ladder's players");
  return index;
}

LadderSettings ladder_settings(const Options& options, const RunConfig& config) {
  LadderSettings settings;
  settings.match.rules = config.rules;
  settings.match.inference = config.inference;
  settings.match.workers = config.selfplay.workers;
  settings.match.seed = options.seed;
  settings.pairs = options.pairs > 0 || options.minutes > 0 ? options.pairs : kUsualPairs;
  settings.time = std::chrono::ceil<std::chrono::milliseconds>(
      std::chrono::duration<double, std::ratio<60>>(options.minutes));
  return settings;
}

// Results are kept by name.
void refuse_equal_names(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto equal = std::ranges::adjacent_find(names);
  if (equal != names.end())
    throw std::invalid_argument("two players of the ladder are called " + *equal +
                                "; leave one out, or name the folders of their runs differently");
}

void run_ladder(const Options& options, int& exit_code) {
  check_output(options.csv_file);
  check_output(options.html_file);
  const Participants participants = participants_of(options);
  RunConfig config = config_of(options, participants);
  load_solved_movement(config);
  const auto display = make_stderr_display();
  AgentDefaults defaults = options.limits.defaults();
  if (!options.limits.visits) defaults.visits = config.evaluation.visits;
  defaults.search = config.selfplay.search;
  defaults.inference = config.inference;
  defaults.on_warning = make_warner(display);
  std::vector<AgentSpec> specs;
  for (const Participant& participant : participants.all)
    specs.push_back(parse_agent(participant.agent));
  check_limits(options.limits, specs);
  std::vector<Player> players;
  std::vector<std::string> names;
  std::vector<std::optional<int>> generations;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    players.push_back(make_player(specs[i], defaults));
    names.push_back(players.back().name);
    generations.push_back(participants.all[i].generation);
  }
  refuse_equal_names(names);
  LadderSettings settings = ladder_settings(options, config);
  settings.rating.anchor = anchor_index(options.anchor, participants, names);

  std::optional<LadderStore> store;
  ResultTable results(static_cast<int>(players.size()));
  ResultTable stored = results;
  if (!participants.run.empty()) {
    store.emplace(RunFolder{participants.run}.database(), format_rules(config.rules), names);
    stored = store->load();
    if (options.fresh)
      settings.unrated = &stored;
    else
      results = stored;
  }

  const StopSignals signals;
  settings.match.stop = &signals.stop();
  settings.match.on_warning = defaults.on_warning;
  const auto begin = std::chrono::steady_clock::now();
  std::int64_t played = 0;
  const RatingFit fit =
      play_ladder(players, results, settings, [&](const LadderProgress& progress) {
        // Games cannot be made again: whatever comes, those of this match are kept.
        if (store) store->add(progress.games);
        played = progress.pairs;
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        if (settings.pairs > 0)
          display->update({"ladder", "pairs", static_cast<double>(played),
                           static_cast<double>(settings.pairs), ""});
        else
          display->update({"ladder", "s", spent.count(),
                           std::chrono::duration<double>(settings.time).count(),
                           counted(played, "pair")});
      });
  const bool out_of_time =
      settings.time.count() > 0 && std::chrono::steady_clock::now() - begin >= settings.time;
  if (!signals.stop() && !out_of_time && (settings.pairs == 0 || played < settings.pairs))
    defaults.on_warning(
        "the ladder ends after " + counted(played, "pair") +
        ": under these rules this seed has no more openings; another --seed may have other ones");
  display->finish();
  if (store) store->add_ratings(fit, settings.rating.anchor);
  const LadderView view{names, generations, results, fit, settings.rating.anchor};
  if (options.csv_file != "-" && options.html_file != "-") std::cout << ladder_as_text(view);
  if (!options.csv_file.empty()) write_text(options.csv_file, ladder_as_csv(view));
  if (!options.html_file.empty()) write_text(options.html_file, ladder_as_html(view));
  exit_code = signals.exit_code();
}

}  // namespace

void add_ladder_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "ladder", "Rate many players on one scale, playing the pairings that tell most");
  command
      ->add_option("PLAYERS", options->entries,
                   "Agents, and folders of runs, which stand for their generations")
      ->required()
      ->check(CLI::Validator([](std::string& entry) { return check_entry(entry); }, "",
                             "agent or run"));
  command
      ->add_option("--pairs,-n", options->pairs, "Pairs of games to play [300 without --minutes]")
      ->check(number_between(std::int64_t{1}, kMostPairs));
  command->add_option("--minutes,-m", options->minutes, "Begin matches for so long")
      ->check(number_between(0.001, 1e6));
  add_limit_options(*command, options->limits);
  command->add_option("--generations", options->generations, "Generations of each run at most")
      ->check(number_between(1, 1000))
      ->capture_default_str();
  command->add_option("--baselines", options->baselines, "Agents that a run is compared with")
      ->delimiter(';')
      ->check(check_agent)
      ->capture_default_str();
  command->add_option("--anchor", options->anchor,
                      "Player whose rating is 0 [greedy, else random, else the first]");
  command->add_option("--seed", options->seed, "Equal seeds give equal openings")
      ->check(seed_number())
      ->capture_default_str();
  command->add_flag("--fresh", options->fresh,
                    "Rate new games only, not those that the run has kept");
  command->add_option("--config", options->config,
                      "Configuration whose rules, search, inference and workers apply [the run's]");
  command->add_option("--set", options->overrides, "Override a value: section.key=value")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--csv", options->csv_file, "Write the ratings as CSV (-: print them)");
  command->add_option("--html", options->html_file, "Write one page with tables and charts");
  command->footer(
      agent_help() +
      "\nGames and ratings are kept in the run's database, each match as it ends, and later "
      "ladders\nbuild on them, as on the games of evaluations in training.\n\nExamples:\n"
      "  baghzero ladder runs/quick --minutes 5 --html ladder.html\n"
      "  baghzero ladder random greedy alphabeta:2 mcts:100 --pairs 200\n"
      "  baghzero ladder runs/quick runs/cpu --generations 4 --visits 200 --csv ratings.csv\n");
  command->callback([options, &exit_code] { run_ladder(*options, exit_code); });
}

}  // namespace baghzero
