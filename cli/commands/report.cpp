#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/run_page.h"
#include "engine/wall_clock.h"

namespace baghzero {
namespace {

struct Options {
  std::string run;
  std::string out = "report.html";
};

void run_report(const Options& options) {
  write_text(options.out, run_as_html(options.run, seconds_since_1970()));
  if (options.out != "-") std::cout << "written to " << options.out << "\n";
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "A run as a web page: charts, tables and games");
  command->add_option("RUN", options->run, "Folder of the run")
      ->required()
      ->check(CLI::ExistingDirectory);
  command->add_option("--out", options->out, "The file to write (-: print it)")
      ->capture_default_str();
  command->footer(
      "One file that needs no other and no network. The run may train meanwhile.\n"
      "\n"
      "Example:\n"
      "  baghzero report runs/quick --out quick.html\n");
  command->callback([options] { run_report(*options); });
}

}  // namespace baghzero
