#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/notation.h"
#include "play/analysis_text.h"
#include "play/application.h"
#include "play/commands.h"
#include "play/number_check.h"
#include "play/position_text.h"

namespace baghzero {
namespace {

struct Options {
  ThinkingOptions thinking;
  std::vector<std::string> positions;
  std::uint32_t visits = 800;
  double seconds = 0;
  int lines = 5;
  bool json = false;
};

class Analyzer {
 public:
  explicit Analyzer(const Options& options)
      : options_(options),
        model_(options.thinking.load()),
        analyst_(make_analyst(model_, options.thinking.settings)) {
    limits_.visits = options.visits;
    if (options.seconds > 0) limits_ = {.seconds = options.seconds};
  }

  void analyze(const Game& game) {
    if (game.over()) {
      if (options_.json)
        std::cout << ending_as_json(game) << std::endl;
      else
        std::cout << draw_board(game.position())
                  << "the game is over: " << to_string(game.outcome()) << " ("
                  << to_string(game.termination()) << ")" << std::endl;
      return;
    }
    analyst_->forget();
    const std::atomic<bool> never{false};
    const Analysis analysis = analyst_->analyse(game, limits_, options_.lines, never);
    if (options_.json)
      std::cout << analysis_as_json(game, analysis) << std::endl;
    else
      std::cout << analysis_as_text(game, analysis) << std::endl;
  }

  // A line that is no position is told in its place; the others count.
  int analyze_lines(std::istream& in) {
    int exit_code = 0;
    for (std::string line; std::getline(in, line);) {
      if (split_words(line).empty()) continue;
      try {
        analyze(parse_position(line, model_.rules));
      } catch (const std::invalid_argument& error) {
        exit_code = kExitFailed;
        if (options_.json)
          std::cout << nlohmann::ordered_json{{"position", line}, {"error", error.what()}}.dump(
                           -1, ' ', false, nlohmann::json::error_handler_t::replace)
                    << std::endl;
        else
          std::cout << "error: " << error.what() << std::endl;
      }
    }
    return exit_code;
  }

  const Rules& rules() const { return model_.rules; }

 private:
  const Options& options_;
  EngineModel model_;
  std::unique_ptr<Analyst> analyst_;
  AnalysisLimits limits_;
};

void run_analyze(const Options& options, int& exit_code) {
  Analyzer analyzer(options);
  if (options.positions.empty()) {
    exit_code = analyzer.analyze_lines(std::cin);
    return;
  }
  std::vector<Game> games;  // all are read before any is thought about
  for (const std::string& text : options.positions)
    games.push_back(parse_position(text, analyzer.rules()));
  for (const Game& game : games) analyzer.analyze(game);
}

}  // namespace

void add_analyze_command(CLI::App& app, int& exit_code) {
  constexpr double kLongest = 1e6;
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "analyze", "Say what a search thinks of positions, for people or as JSON for programs");
  command
      ->add_option("--fen", options->positions,
                   "Position: a FEN or \"startpos\", then perhaps \"moves G33 B1122 ...\"; may be "
                   "given again. Without it, one position per line of standard input")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--visits,-v", options->visits, "Simulations per position")
      ->check(number_between(1U, kMaxVisits))
      ->capture_default_str();
  command->add_option("--seconds,-s", options->seconds, "Time per position instead of visits")
      ->check(number_between(0.0, kLongest));
  command->add_option("--lines,-l", options->lines, "Moves to report, the best first")
      ->check(number_between(1, kMaxLegalActions))
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object per position, one a line");
  add_thinking_options(*command, options->thinking);
  const std::string name = app.get_name();
  command->footer("Examples:\n  " + name +
                  " analyze --model runs/quick/models/gen-0004.bzn --fen startpos\n  " + name +
                  " analyze --model runs/quick/models/gen-0004.bzn --json < positions.txt\n");
  command->callback([options, &exit_code] { run_analyze(*options, exit_code); });
}

}  // namespace baghzero
