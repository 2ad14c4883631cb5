#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/run_status.h"
#include "engine/wall_clock.h"

namespace baghzero {

void add_status_command(CLI::App& app) {
  auto root = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("status", "Where a run stands, on one screen");
  command->add_option("RUN", *root, "Folder of the run")->required()->check(CLI::ExistingDirectory);
  command->footer(
      "What it does or waits for, how far it is and how fast, the time left, its last gates,\n"
      "evaluations and warnings. The run may train meanwhile.\n"
      "\n"
      "Examples:\n"
      "  baghzero status runs/quick\n"
      "  watch baghzero status runs/quick\n");
  command->callback([root] { std::cout << describe_status(*root, seconds_since_1970()); });
}

}  // namespace baghzero
