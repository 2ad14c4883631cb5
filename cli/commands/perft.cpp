#include "engine/perft.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output.h"
#include "engine/notation.h"
#include "engine/text.h"
#include "play/number_check.h"
#include "play/position_text.h"

namespace baghzero {
namespace {

struct Options {
  int depth = 0;
  std::string position = "startpos";
  std::string repetition = std::string(to_string(Rules{}.repetition));
  bool divide = false;
  bool json = false;
};

struct Count {
  std::uint64_t leaves = 0;
  double seconds = 0;
  std::vector<PerftDivision> division;  // only if asked for
};

Count count_leaves(const Game& game, const Options& options) {
  Count count;
  const auto begin = std::chrono::steady_clock::now();
  if (options.divide) {
    count.division = perft_divide(game, options.depth);
    for (const PerftDivision& part : count.division) count.leaves += part.leaves;
  } else {
    count.leaves = perft(game, options.depth);
  }
  count.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return count;
}

void print_json(const Game& game, const Options& options, const Count& count) {
  nlohmann::ordered_json result = {{"fen", format_fen(game)},
                                   {"repetition", options.repetition},
                                   {"depth", options.depth},
                                   {"leaves", count.leaves},
                                   {"seconds", count.seconds}};
  for (const PerftDivision& part : count.division)
    result["divide"][format_move(game.side_to_move(), part.action)] = part.leaves;
  std::cout << result.dump(2) << "\n";
}

void print_text(const Game& game, const Options& options, const Count& count) {
  for (const PerftDivision& part : count.division)
    std::cout << format_move(game.side_to_move(), part.action) << ": "
              << grouped(static_cast<std::int64_t>(part.leaves)) << "\n";
  std::cout << "depth " << options.depth << ": " << grouped(static_cast<std::int64_t>(count.leaves))
            << " leaves in " << short_number(count.seconds) << " s";
  if (count.seconds > 0)
    std::cout << ", " << short_number(static_cast<double>(count.leaves) / count.seconds)
              << " leaves/s";
  std::cout << "\n";
}

void run_perft(const Options& options) {
  Rules rules;
  rules.repetition = repetition_from_string(options.repetition);
  const Game game = parse_position(options.position, rules);
  const Count count = count_leaves(game, options);
  if (options.json)
    print_json(game, options, count);
  else
    print_text(game, options, count);
}

}  // namespace

void add_perft_command(CLI::App& app) {
  constexpr int kDeepest = 50;
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "perft", "Count the leaves of the game tree: the check of a move generator");
  command->add_option("--depth,-d", options->depth, "Plies")
      ->required()
      ->check(number_between(1, kDeepest));
  command->add_option("--fen", options->position, "Position to start from: startpos or a FEN")
      ->capture_default_str();
  command
      ->add_option("--repetition", options->repetition,
                   "Repetition rule: forbidden, threefold or off")
      ->check(CLI::IsMember({"forbidden", "threefold", "off"}))
      ->capture_default_str();
  command->add_flag("--divide", options->divide, "Show the count below each move");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  baghzero perft --depth 7\n"
      "  baghzero perft --depth 4 --divide --fen \"B3B/1G3/5/5/B3B B 1\"\n");
  command->callback([options] { run_perft(*options); });
}

}  // namespace baghzero
