// Commands that need no LibTorch, for every program that has a command line. Each function adds its
// command; the command runs while the command line is parsed. Errors leave as exceptions.
#pragma once

#include <string>

#include "play/engine_model.h"

namespace CLI {
class App;
}

namespace baghzero {

void add_analyze_command(CLI::App& app, int& exit_code);
void add_play_command(CLI::App& app);

// What to think with, as told on a command line.
struct ThinkingOptions {
  std::string model = kBuiltInModel;  // a file, or see engine_model.h
  std::string repetition;             // empty: as in the model
  ThinkingSettings settings;

  EngineModel load() const;
};
// Adds --model, --threads, --repetition and --symmetries. `options` must outlive the parsing.
void add_thinking_options(CLI::App& command, ThinkingOptions& options);

}  // namespace baghzero
