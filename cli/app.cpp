#include "cli/app.h"

#include <iostream>

#include <CLI/CLI.hpp>

#include "cli/command_name.h"
#include "cli/commands/commands.h"
#include "cli/error_text.h"
#include "play/application.h"
#include "play/commands.h"
#include "web/serve_command.h"

namespace baghzero {
namespace {

constexpr const char* kDescription =
    "BaghZero trains players of Bagh-Chal (tigers and goats) by self-play, for both roles at once.";
constexpr const char* kFooter =
    "Examples:\n"
    "  baghzero train configs/quick.toml            train from nothing, in minutes on two cores\n"
    "  baghzero train --resume --run runs/quick     go on with a run that was stopped\n"
    "  baghzero match net:runs/quick/models/gen-0002.bzn greedy\n"
    "                                               let two players meet\n"
    "  baghzero ladder runs/quick --minutes 5       rate its generations and the baselines\n"
    "  baghzero games runs/quick                    list the games of a run\n"
    "  baghzero config                              every configuration key, with its meaning\n"
    "  baghzero COMMAND --help                      all about one command\n";

// Everything that can be typed by the name that this program was called by.
void call_examples_by_name(CLI::App& app) {
  app.footer(as_called(app.get_footer()));
  for (CLI::Option* option : app.get_options({}))
    option->description(as_called(option->get_description()));
  for (CLI::App* command : app.get_subcommands({})) call_examples_by_name(*command);
}

}  // namespace

int run_app(int argc, const char* const* argv) {
  int exit_code = 0;
  CLI::App app(kDescription, command_name());
  app.footer(kFooter);
  app.set_version_flag("--version", "baghzero " BAGHZERO_VERSION);
  app.require_subcommand(0, 1);
  add_train_command(app);
  add_status_command(app);
  add_report_command(app);
  add_check_command(app, exit_code);
  add_match_command(app, exit_code);
  add_ladder_command(app, exit_code);
  add_games_command(app);
  add_analyze_command(app, exit_code);
  add_play_command(app);
  add_serve_command(app);
  add_perft_command(app);
  add_bench_command(app);
  add_config_command(app);
  add_export_command(app);
  add_game_array_commands(app);
  add_solve_command(app, exit_code);
  add_probe_command(app);
  add_judge_command(app, exit_code);
  add_suite_command(app);
  app.final_callback([&] {
    if (!app.get_subcommands().empty()) return;
    std::cout << app.help();
    exit_code = kExitWrongUsage;
  });
  call_examples_by_name(app);
  return run_application(app, argc, argv, exit_code,
                         [](const std::string& error) { return as_called(without_frames(error)); });
}

}  // namespace baghzero
