#include "engine/solver/probe.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command_name.h"
#include "cli/commands/commands.h"
#include "cli/progress.h"
#include "engine/notation.h"
#include "play/position_text.h"

namespace baghzero {
namespace {

struct Options {
  std::string position = "startpos";
  std::string folder = default_database_folder().string();
  bool json = false;
};

constexpr int kUnknown = -2;

// For ordering moves: won ones first, then by plies.
int rank_of(Side side, const std::optional<SolvedValue>& value) {
  return value ? rank_for(side, value->outcome) : kUnknown;
}

std::string word_of(Side side, const std::optional<SolvedValue>& value) {
  switch (rank_of(side, value)) {
    case 1:
      return "win";
    case 0:
      return "draw";
    case -1:
      return "loss";
    default:
      return "unknown";
  }
}

// "win, 12 plies"; plies where they are known.
std::string described(Side side, const SolvedValue& value) {
  std::string text = word_of(side, value);
  if (value.plies >= 0) text += ", " + std::to_string(value.plies) + " plies";
  return text;
}

void print_json(Side side, const std::optional<SolvedValue>& value,
                const std::vector<ProbedMove>& moves) {
  using Json = nlohmann::ordered_json;
  const auto as_json = [&](const std::optional<SolvedValue>& known) {
    return known ? Json(word_of(side, known)) : Json(nullptr);
  };
  Json result = {{"value", as_json(value)},
                 {"plies", value && value->plies >= 0 ? Json(value->plies) : Json(nullptr)},
                 {"moves", Json::array()}};
  for (const ProbedMove& move : moves)
    result["moves"].push_back(
        {{"move", format_move(side, move.action)}, {"value", as_json(move.value)}});
  std::cout << result.dump(2) << "\n";
}

void print_text(const Position& position, const std::optional<SolvedValue>& value,
                std::vector<ProbedMove> moves, const SolvedDatabase& database) {
  const Side side = position.side_to_move();
  std::cout << draw_board(position, progress_style_of(1).unicode) << "\n";
  if (!value) {
    std::cout << as_called("Not known, and a quick search did not reach what is: " +
                           missing_layers(database))
              << ".\n";
  } else {
    const bool draw = value->outcome == Outcome::Draw;
    std::cout << (draw ? "Draw" : value->outcome == Outcome::GoatsWin ? "Goats win" : "Tigers win");
    if (value->plies == 0)
      std::cout << ": the game is over";
    else if (value->plies > 0)
      std::cout << " in " << value->plies << " plies";
    std::cout << " (a " << word_of(side, value) << " for the "
              << (side == Side::Goat ? "goats" : "tigers") << ", who are to move).\n";
  }
  std::ranges::stable_sort(moves, [&](const ProbedMove& a, const ProbedMove& b) {
    const int rank_a = rank_of(side, a.value);
    const int rank_b = rank_of(side, b.value);
    if (rank_a != rank_b || rank_a == kUnknown) return rank_a > rank_b;
    return rank_a > 0 ? a.value->plies < b.value->plies : a.value->plies > b.value->plies;
  });
  for (const ProbedMove& move : moves) {
    std::cout << "  " << format_move(side, move.action) << "  "
              << (move.value ? described(side, *move.value) : "unknown") << "\n";
  }
}

void probe(const Options& options) {
  const Position position = parse_position(options.position, Rules{}).position();
  SolvedProbe solved(std::make_shared<SolvedDatabase>(options.folder));
  std::vector<ProbedMove> moves = solved.moves(position);
  const std::optional<SolvedValue> value = solved.value(position);
  if (options.json)
    print_json(position.side_to_move(), value, moves);
  else
    print_text(position, value, std::move(moves), solved.database());
}

}  // namespace

void add_probe_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("probe", "Look up the exact value of a position and of all its moves");
  command->add_option("--fen", options->position, "Position: startpos or a FEN")
      ->capture_default_str();
  command->add_option("--db", options->folder,
                      "Folder of the solved game (default: $BAGHZERO_DB, else solved)");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Values are win, draw or loss for the side to move, those of moves too. Endless play is a "
      "draw;\n"
      "repetition rules and limits do not exist (docs/solver.md). Plies to the end are known once "
      "all\n"
      "goats are placed. Where placement layers are missing, values come from a short search, or "
      "are\n"
      "unknown (null in JSON).\n"
      "\n"
      "Examples:\n"
      "  baghzero probe\n"
      "  baghzero probe --fen \"GGGGG/GGGGG/GGBGG/GGGB1/GBGGB G 20\" --db solved --json\n");
  command->callback([options] { probe(*options); });
}

}  // namespace baghzero
