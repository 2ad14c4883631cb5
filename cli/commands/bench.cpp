#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/bench_report.h"
#include "cli/commands/commands.h"
#include "cli/config.h"
#include "cli/progress.h"
#include "play/number_check.h"
#include "training/memory.h"

namespace baghzero {
namespace {

struct Options {
  std::string config;
  std::vector<std::string> overrides;
  double seconds = BenchSettings{}.seconds;
  int rounds = BenchSettings{}.rounds;
  bool json = false;
  bool signature = false;
};

void bench(const Options& options) {
  if (options.signature) {
    std::cout << signature_text(measure_search()) << "\n";
    return;
  }
  BenchSettings settings;
  settings.seconds = options.seconds;
  settings.rounds = options.rounds;
  settings.config = load_config_or_defaults(options.config, options.overrides);
  check_memory(settings.config, machine_memory_bytes());
  load_solved_movement(settings.config);
  const auto display = make_stderr_display();
  const BenchReport report = run_bench(settings, [&](const std::string& what, int done, int total) {
    display->update({.label = "bench",
                     .unit = "measurements",
                     .done = static_cast<double>(done),
                     .total = static_cast<double>(total),
                     .detail = what,
                     .steady = false});
  });
  display->finish();
  std::cout << (options.json ? bench_as_json(report) : bench_as_text(report));
}

}  // namespace

void add_bench_command(CLI::App& app) {
  constexpr int kMostRounds = 100;
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure search, network, self-play and training, and how they compare");
  command->add_option("CONFIG", options->config,
                      "Configuration whose network, workers and batches are measured");
  command->add_option("--set", options->overrides, "Override a value: section.key=value")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--seconds", options->seconds, "Length of each measurement")
      ->check(number_between(0.1, 600.0))
      ->capture_default_str();
  command
      ->add_option("--rounds", options->rounds,
                   "How often bare and real speed are measured in turn; medians are shown")
      ->check(number_between(1, kMostRounds))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--signature", options->signature,
                    "Print only the signature of the search, which changes if its choices do");
  command->footer(
      "Efficiency is the share of the bare network's speed that self-play (or the trainer) keeps\n"
      "with the same threads. Rows answered by the cache and padding do not count.\n"
      "\n"
      "Examples:\n"
      "  baghzero bench\n"
      "  baghzero bench configs/quick.toml --json\n"
      "  baghzero bench --set network.blocks=6 --set network.channels=64\n");
  command->callback([options] { bench(*options); });
}

}  // namespace baghzero
