#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "play/commands.h"
#include "play/number_check.h"
#include "play/terminal_game.h"

namespace baghzero {
namespace {

struct Options {
  ThinkingOptions thinking;
  std::string side = "goat";
  std::uint32_t visits = TerminalGameSettings{}.visits;
  bool ascii = false;
};

// Whether the terminal says that it shows UTF-8.
bool terminal_has_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string text(value);
    return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

void run_play(const Options& options) {
  const EngineModel model = options.thinking.load();
  TerminalGameSettings settings;
  settings.rules = model.rules;
  settings.persons = persons_from_string(options.side);
  settings.visits = options.visits;
  settings.unicode = !options.ascii && terminal_has_unicode();
  TerminalGame game(std::cin, std::cout, make_analyst(model, options.thinking.settings),
                    model.network ? model.name : "a search without a network", settings);
  game.run();
}

}  // namespace

void add_play_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("play", "Play in the terminal against a network");
  command->add_option("--side", options->side, "Your side: goat, tiger or both")
      ->check(CLI::IsMember({"goat", "tiger", "both"}))
      ->capture_default_str();
  command
      ->add_option("--visits,-v", options->visits,
                   "Simulations of the engine per move: its strength")
      ->check(number_between(1U, kMaxVisits))
      ->capture_default_str();
  command->add_flag("--ascii", options->ascii, "Draw without Unicode");
  add_thinking_options(*command, options->thinking);
  command->footer("Examples:\n  " + app.get_name() +
                  " play --model runs/quick/models/gen-0004.bzn --side tiger\n");
  command->callback([options] { run_play(*options); });
}

}  // namespace baghzero
