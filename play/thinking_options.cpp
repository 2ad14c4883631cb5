#include <CLI/CLI.hpp>

#include "play/commands.h"
#include "play/number_check.h"

namespace baghzero {

EngineModel ThinkingOptions::load() const {
  EngineModel loaded = load_engine_model(model);
  if (!repetition.empty()) loaded.rules.repetition = repetition_from_string(repetition);
  return loaded;
}

void add_thinking_options(CLI::App& command, ThinkingOptions& options) {
  constexpr int kMostThreads = 64;
  command
      .add_option("--model,-m", options.model,
                  "Network (.bzn); \"none\": the search knows the rules alone")
      ->capture_default_str();
  command.add_option("--threads,-t", options.settings.threads, "Threads that search together")
      ->check(number_between(1, kMostThreads))
      ->capture_default_str();
  command
      .add_option("--repetition", options.repetition,
                  "Repetition rule: forbidden, threefold or off (default: the model's)")
      ->check(CLI::IsMember({"forbidden", "threefold", "off"}));
  command.add_flag("--symmetries", options.settings.symmetries,
                   "Average the network over the 8 symmetries of the board");
}

}  // namespace baghzero
