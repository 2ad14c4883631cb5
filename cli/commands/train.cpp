#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <spdlog/logger.h>

#include "cli/agents.h"
#include "cli/command_name.h"
#include "cli/commands/commands.h"
#include "cli/config.h"
#include "cli/config_table.h"
#include "cli/error_text.h"
#include "cli/logging.h"
#include "cli/run_display.h"
#include "cli/run_summary.h"
#include "cli/signals.h"
#include "engine/text.h"
#include "nn/inference.h"
#include "selfplay/ladder.h"
#include "training/memory.h"
#include "training/run.h"
#include "training/run_folder.h"
#include "training/run_progress.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

namespace fs = std::filesystem;

bool holds_run(const fs::path& run_dir) { return RunFolder{run_dir}.holds_run(); }

struct Options {
  std::string config;
  std::string run_dir;
  bool resume = false;
  bool go_on = false;  // --continue: resume if there is a run
  std::vector<std::string> overrides;
};

fs::path run_dir_of(const Options& options) {
  if (!options.run_dir.empty()) return options.run_dir;
  if (options.config.empty())
    throw CLI::RequiredError(
        "CONFIG (a TOML file such as configs/quick.toml), or --resume --run DIR");
  return fs::path("runs") / fs::path(options.config).stem();
}

struct Plan {
  RunConfig config;
  std::vector<std::string> notes;  // for people, before the run begins
  std::string changed = {};        // keys of a run that goes on whose values --set changes
};

Plan plan_new_run(const Options& options, const fs::path& run_dir) {
  if (options.config.empty())
    throw CLI::RequiredError("CONFIG (a TOML file such as configs/quick.toml)");
  Plan plan{load_config(options.config, options.overrides), {}};
  if (holds_run(run_dir))
    throw std::runtime_error(run_dir.string() +
                             " already holds a run; add --resume to go on with it, or choose "
                             "another folder with --run");
  return plan;
}

// A run goes on with its own configuration, whatever has become of the file it was started from;
// --set alone changes it.
Plan plan_resumed_run(const Options& options, const fs::path& run_dir) {
  if (const std::string fault = RunFolder{run_dir}.fault(); !fault.empty())
    throw std::runtime_error(fault + ": check --run, or start one without --resume");
  const fs::path own_file = RunFolder{run_dir}.config();
  const bool has_file = fs::exists(own_file);
  const std::optional<RunConfig> trained = load_trained_config(RunFolder{run_dir});
  // The database is made first; a run that was killed right then has no configuration yet.
  if (!has_file && !trained) {
    if (options.config.empty())
      throw std::runtime_error(
          own_file.string() + " is missing; name the configuration that the run was started " +
          "with: " + command_name() + " train CONFIG --resume --run " + shell_word(run_dir));
    return {load_config(options.config, options.overrides), {}};
  }
  const RunConfig own = has_file ? load_run_config(RunFolder{run_dir}) : *trained;
  Plan plan{own, {}};
  const auto edited = has_file ? differing_keys(load_config(own_file), own)
                               : std::vector<std::string>{"it is missing"};
  if (!edited.empty())
    plan.notes.push_back(own_file.string() + " was changed (" + listed(edited) +
                         "), which changes nothing: the run's database has its configuration, "
                         "and --set changes it");
  apply_overrides(plan.config, options.overrides);
  const auto changed = differing_keys(own, plan.config);
  for (const std::string& name : changed)
    if (find_config_key(name)->scope() == ConfigScope::Fixed)
      throw ConfigError("--set " + name + ": a run that has begun keeps this value; start a new " +
                        "run for another");
  plan.changed = listed(changed);
  if (!options.config.empty()) {
    const auto other = differing_keys(own, load_config(options.config));
    if (!other.empty())
      plan.notes.push_back("the run keeps its own values where " + options.config +
                           " says otherwise (" + listed(other) + "); --set changes them");
  }
  return plan;
}

void log_lines(spdlog::logger& logger, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) logger.info("{}", line);
}

std::vector<Player> evaluation_opponents(const RunConfig& config) {
  std::vector<Player> opponents;
  if (config.evaluation.every == 0) return opponents;
  AgentDefaults defaults;
  defaults.visits = config.evaluation.visits;
  defaults.search = config.selfplay.search;
  defaults.search.solver = false;  // networks are measured, not the solved game
  defaults.inference = config.inference;
  OpeningSupply openings(config.rules, kLadderSeed);
  for (const std::string& agent : split_agents(config.evaluation.opponents)) {
    try {
      opponents.push_back(make_player(parse_agent(agent), defaults));
      require_playable(opponents.back(), openings.take(0, config.evaluation.pairs));
    } catch (const std::exception& fault) {
      throw ConfigError(std::string("evaluation.opponents: ") + fault.what());
    }
  }
  return opponents;
}

void run_train(const Options& options) {
  const fs::path run_dir = run_dir_of(options);
  const bool resume = options.resume || (options.go_on && holds_run(run_dir));
  Plan plan = resume ? plan_resumed_run(options, run_dir) : plan_new_run(options, run_dir);
  if (resume && !options.resume)
    plan.notes.push_back("going on with the run in " + run_dir.string() +
                         "; for a new one move it away or name another folder with --run");
  const RunConfig& config = plan.config;
  // Before anything is created: a missing device, opponent or solved game must not leave half a run
  // behind. A run that is at its end needs none of them.
  std::vector<Player> opponents;
  if (!is_surely_finished(RunFolder{run_dir}, config)) {
    check_solved_game(config);
    opponents = evaluation_opponents(config);
  }
  const std::string play_device = describe_device(config.inference);
  InferenceSettings trainer_place = config.inference;
  trainer_place.device = config.training.device;
  const std::string train_device = describe_device(trainer_place);
  check_memory(config, machine_memory_bytes());

  std::error_code refused;
  fs::create_directories(run_dir, refused);
  if (refused)
    throw std::runtime_error("cannot create the folder " + run_dir.string() + " (" +
                             refused.message() + ")");
  const auto display = make_stderr_display();
  const auto logger = make_logger(display, progress_style_of(2).colour);
  std::shared_ptr<spdlog::logger> file_log;
  // Not before the folder is ours: another process may be writing its log there.
  const auto on_opened = [&] {
    file_log = add_log_file(*logger, run_dir / "log.txt");
    logger->info("{} {}: playing on {}, training on {}", resume ? "resuming" : "starting",
                 run_dir.string(), play_device, train_device);
    for (const std::string& note : plan.notes) logger->info("{}", note);
  };
  const auto on_configured = [&] {
    if (!plan.changed.empty()) logger->info("changed by --set: {}", plan.changed);
  };

  const StopSignals signals;
  RunResult result;
  try {
    RunDisplay observer(display, logger, run_dir / "tensorboard", on_opened, on_configured);
    result = train(config, run_dir, resume, to_toml(config), observer, signals.stop(), opponents);
  } catch (const std::exception& error) {
    if (file_log) file_log->error("ended by an error: {}", without_frames(error.what()));
    throw;
  }
  std::string last_lines = summarise_run(result, config.gate, run_dir, signals.name());
  if (result.end == RunEnd::Stopped)
    last_lines += how_to_go_on(run_dir);
  else if (result.was_finished)
    last_lines += how_to_train_on(result.end, config.run, run_dir, plan.changed);
  log_lines(*file_log, last_lines);
  std::cout << last_lines;
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "train", "Train a network by self-play, from nothing or on from where a run stopped");
  command->add_option(
      "CONFIG", options->config,
      "Configuration file, e.g. configs/quick.toml; not needed with --resume --run. run.sh takes "
      "configs/quick.toml if none is given");
  command->add_option("--run", options->run_dir,
                      "Folder of the run (default: runs/ and the name of CONFIG)");
  auto* resume =
      command->add_flag("--resume", options->resume, "Go on with the run in that folder");
  command
      ->add_flag("--continue", options->go_on,
                 "The same if there is a run, else begin one; what run.sh adds")
      ->excludes(resume);
  command->add_option("--set", options->overrides, "Override a value: section.key=value")
      ->take_all()
      ->allow_extra_args(false);
  command->footer(
      "The folder of a run holds run.toml (its configuration), run.sqlite (games, gates, "
      "metrics),\n"
      "models/ (one file per generation), state/ (to go on from), tensorboard/ and log.txt.\n"
      "Ctrl-C ends what is under way within seconds, saves, and exits with 0; a second one stops "
      "at\n"
      "once, which loses no more than the games in progress and the steps since the last save.\n"
      "SIGTERM and SIGHUP do the same.\n"
      "\n"
      "Examples:\n"
      "  baghzero train configs/quick.toml\n"
      "  baghzero train configs/cpu.toml --run runs/wide --set network.channels=64\n"
      "  baghzero train --resume --run runs/wide --set run.generations=20\n"
      "  tensorboard --logdir runs                    watch all runs in a browser\n");
  command->callback([options] { run_train(*options); });
}

}  // namespace baghzero
