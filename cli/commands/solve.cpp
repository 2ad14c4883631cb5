#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "engine/solver/build_database.h"
#include "engine/solver/database.h"
#include "engine/text.h"
#include "engine/thread_count.h"
#include "play/number_check.h"

namespace baghzero {
namespace {

struct Options {
  std::string folder;
  bool movement_only = false;
  int last_placed = 0;
  int threads = thread_count(0);
};

void solve(const Options& options, int& exit_code) {
  const StopSignals signals;
  const auto display = make_stderr_display();
  const BuildSettings settings{.threads = options.threads,
                               .movement_only = options.movement_only,
                               .last_placed = options.last_placed,
                               .stop = &signals.stop()};
  const BuildResult result =
      build_database(options.folder, settings, [&](const BuildProgress& progress) {
        constexpr double kPercent = 100;
        display->update({"solve", "%", progress.share * kPercent, kPercent, progress.detail});
      });
  display->finish();
  if (!result.finished) {
    std::cout << "stopped; the " << result.solved + result.kept
              << " finished layers are kept, and the same command goes on from them\n";
    exit_code = signals.exit_code();
    return;
  }
  const double mebibytes =
      static_cast<double>(SolvedDatabase(options.folder).file_bytes()) / (1 << 20);
  std::cout << result.solved << " layers solved, " << result.kept
            << " kept: " << grouped(static_cast<std::int64_t>(mebibytes + 0.5)) << " MiB in "
            << options.folder << "\n";
}

}  // namespace

void add_solve_command(CLI::App& app, int& exit_code) {
  constexpr int kMostThreads = 256;
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("solve", "Solve the game exactly and store the value of every position");
  command->add_option("--out", options->folder, "Folder for the solved game")->required();
  auto* movement = command->add_flag("--movement-only", options->movement_only,
                                     "Only positions with all goats placed");
  command
      ->add_option("--down-to", options->last_placed,
                   "Solve placement layers only down to this number of goats placed")
      ->check(number_between(0, 19))
      ->capture_default_str()
      ->excludes(movement);
  command->add_option("--threads", options->threads, "Threads (default: one per core)")
      ->check(number_between(1, kMostThreads));
  command->footer(
      "The whole game takes minutes on two cores, 2 GiB of memory and 1.3 GiB of disk; the "
      "movement\n"
      "phase alone takes less than a minute, 200 MiB and 30 MiB. Finished layers are kept: after\n"
      "Ctrl-C or a crash the same command goes on. docs/solver.md says what the values mean.\n"
      "\n"
      "Examples:\n"
      "  baghzero solve --out solved\n"
      "  baghzero solve --out solved --movement-only --threads 1\n");
  command->callback([options, &exit_code] { solve(*options, exit_code); });
}

}  // namespace baghzero
