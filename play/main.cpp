// baghzero-engine: plays and analyses, without LibTorch. Without a command it speaks UGI.
#include <iostream>

#include <CLI/CLI.hpp>

#include "play/application.h"
#include "play/commands.h"
#include "play/number_check.h"
#include "play/ugi.h"

int main(int argc, char** argv) {
  using namespace baghzero;
  int exit_code = 0;
  CLI::App app(
      "BaghZero's engine plays and analyses Bagh-Chal. Without a command it speaks UGI (Universal "
      "Game Interface) on standard input and output.",
      "baghzero-engine");
  app.footer(
      "Examples:\n"
      "  baghzero-engine                              wait for UGI commands\n"
      "  baghzero-engine COMMAND --help               all about one command\n");
  app.set_version_flag("--version", "baghzero-engine " BAGHZERO_VERSION);
  app.require_subcommand(0, 1);
  ThinkingOptions thinking;
  app.add_option(
         "--model,-m", thinking.model,
         "Network (.bzn) to play with, until UGI's option Model names another; \"none\": the "
         "search knows the rules alone")
      ->capture_default_str();
  app.add_option("--threads,-t", thinking.settings.threads, "Default of UGI's option Threads")
      ->check(number_between(1, 64));
  add_analyze_command(app, exit_code);
  add_play_command(app);
  app.final_callback([&] {
    if (!app.get_subcommands().empty()) return;
    UgiValues values;
    values.model = thinking.model;
    values.thinking = thinking.settings;
    run_ugi(std::cin, std::cout, values);
  });
  return run_application(app, argc, argv, exit_code);
}
