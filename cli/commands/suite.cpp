#include "engine/solver/suite.h"

#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "engine/durable_file.h"
#include "engine/text.h"
#include "play/number_check.h"

namespace baghzero {
namespace {

struct Options {
  std::string file;
  std::string folder = default_database_folder().string();
  std::uint64_t seed = 1;
  int positions = kSuitePositions;
};

void make(const Options& options) {
  SolvedProbe probe(std::make_shared<const SolvedDatabase>(options.folder));
  refuse_binary(options.file);
  check_durable(options.file);
  const auto display = make_stderr_display();
  const auto suite = make_suite(probe, options.seed, options.positions, [&](int done) {
    display->update({"suite", "positions", static_cast<double>(done),
                     static_cast<double>(options.positions), ""});
  });
  display->finish();
  write_durably(options.file, format_suite(suite, options.seed));
  std::cout << counted(static_cast<std::int64_t>(suite.size()), "position") << " in "
            << options.file << "\n";
}

}  // namespace

void add_suite_command(CLI::App& app) {
  constexpr int kMostPositions = 1'000'000;
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "suite", "Make a fixed sample of solved positions, the yardstick of `judge --suite`");
  command->require_subcommand(1);
  CLI::App* make_command =
      command->add_subcommand("make", "Make a suite; equal seeds give equal files");
  make_command->add_option("--out", options->file, "File to write")->required();
  make_command->add_option("--seed", options->seed, "Seed")
      ->check(seed_number())
      ->capture_default_str();
  make_command
      ->add_option("--positions", options->positions,
                   "Positions, evenly spread over phase, role and value")
      ->check(number_between(1, kMostPositions))
      ->capture_default_str();
  make_command->add_option("--db", options->folder,
                           "Folder of the solved game (default: $BAGHZERO_DB, else solved)");
  const char* const footer =
      "Examples:\n"
      "  baghzero suite make --seed 1 --out suite.txt\n"
      "  baghzero judge greedy --suite suite.txt\n";
  command->footer(footer);
  make_command->footer(footer);
  make_command->callback([options] { make(*options); });
}

}  // namespace baghzero
