#include "cli/app.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"

namespace baghzero {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

constexpr const char* kDescription =
    "BaghZero trains players of Bagh-Chal (tigers and goats) by self-play, for both roles at once.";
constexpr const char* kFooter =
    "Examples:\n"
    "  baghzero train configs/quick.toml            train from nothing, in minutes on two cores\n"
    "  baghzero train --resume --run runs/quick     go on with a run that was stopped\n"
    "  baghzero match net:runs/quick/models/gen-0002.bzn greedy\n"
    "                                               let two players meet\n"
    "  baghzero config                              every configuration key, with its meaning\n"
    "  baghzero COMMAND --help                      all about one command\n";

// Messages of libraries may run over several lines; the first one names the fault.
void report(std::string_view what) {
  const std::string_view line = what.substr(0, what.find('\n'));
  std::fprintf(stderr, "baghzero: error: %.*s\n", static_cast<int>(line.size()), line.data());
}

// The command that was named, for a hint at its help.
std::string help_hint(const CLI::App& app) {
  std::string text = " (see `baghzero ";
  for (const CLI::App* command : app.get_subcommands())
    text.append(command->get_name()).append(" ");
  return text.append("--help`)");
}

// Output that nobody could read is a failure: a full disk must not pass for success.
void finish_output() {
  std::cout.flush();
  if (!std::cout)
    throw std::runtime_error(
        "cannot write to standard output; check where it goes and the free space there");
}

}  // namespace

int run_app(int argc, const char* const* argv) {
  int exit_code = 0;
  CLI::App app(kDescription, "baghzero");
  app.footer(kFooter);
  app.set_version_flag("--version", "baghzero " BAGHZERO_VERSION);
  app.require_subcommand(0, 1);
  add_train_command(app, exit_code);
  add_match_command(app, exit_code);
  add_perft_command(app);
  add_bench_command(app);
  add_config_command(app);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      std::cout << app.help();
      return kWrongUsage;
    }
    finish_output();
    return exit_code;
  } catch (const CLI::Success& asked_for) {
    return app.exit(asked_for);
  } catch (const CLI::ParseError& error) {
    report(std::string(error.what()) + help_hint(app));
    return kWrongUsage;
  } catch (const std::bad_alloc&) {
    report("out of memory; smaller caches, batches or fewer slots need less");
  } catch (const std::exception& error) {
    report(error.what());
  }
  return kFailed;
}

}  // namespace baghzero
