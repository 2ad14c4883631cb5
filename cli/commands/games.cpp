#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/game_listing.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "engine/text.h"
#include "play/number_check.h"

namespace baghzero {
namespace {

struct Options {
  std::string source;
  std::string generations;
  std::string termination;
  std::string result;
  int min_plies = 0;
  int max_plies = kNoLimit;
  int limit = 20;
  std::optional<std::int64_t> show;
  std::optional<int> ply;
  bool ascii = false;
  std::string text_file;
  std::string json_file;
  int openings = 0;
};

GameFilter filter_of(const Options& options) {
  GameFilter filter;
  if (!options.generations.empty()) parse_generations(options.generations, filter);
  if (!options.termination.empty())
    filter.termination = termination_from_string(options.termination);
  if (!options.result.empty()) filter.outcome = parse_result(options.result);
  filter.min_plies = options.min_plies;
  filter.max_plies = options.max_plies;
  return filter;
}

void show_game(const Options& options) {
  constexpr int kStdout = 1;
  const bool unicode = !options.ascii && progress_style_of(kStdout).unicode;
  for_each_game(options.source, *options.show, [&](const SourcedGame& game) {
    std::cout << game_on_boards(game, options.ply, unicode);
    return true;
  });
}

void export_games(const Options& options, const GameFilter& filter) {
  std::string text;
  std::string json;
  for_each_game(options.source, options.show.value_or(0), [&](const SourcedGame& game) {
    if (!filter.accepts(game)) return true;
    if (!options.text_file.empty()) text.append(format_filed_game(game.filed));
    if (!options.json_file.empty()) json.append(game_as_json(game)).append("\n");
    return true;
  });
  if (!options.text_file.empty()) write_text(options.text_file, text);
  if (!options.json_file.empty()) write_text(options.json_file, json);
}

void list_games(const Options& options, const GameFilter& filter) {
  int shown = 0;
  std::uint64_t games = 0;
  std::uint64_t matching = 0;
  for_each_game(options.source, 0, [&](const SourcedGame& game) {
    ++games;
    if (!filter.accepts(game)) return true;
    ++matching;
    if (shown == 0 && options.limit > 0) std::cout << listing_header();
    if (shown++ < options.limit) std::cout << listing_line(game);
    return true;
  });
  std::cout << grouped(static_cast<std::int64_t>(matching)) << " of "
            << grouped(static_cast<std::int64_t>(games)) << " games";
  if (shown > options.limit) std::cout << ", the first " << options.limit << " shown (--limit)";
  std::cout << "\n";
}

void run_games(const Options& options) {
  const GameFilter filter = filter_of(options);
  if (!options.text_file.empty() || !options.json_file.empty()) {
    export_games(options, filter);
  } else if (options.show) {
    show_game(options);
  } else if (options.openings > 0) {
    OpeningStatistics statistics(options.openings);
    for_each_game(options.source, 0, [&](const SourcedGame& game) {
      if (filter.accepts(game)) statistics.add(game.game());
      return true;
    });
    std::cout << statistics.table(options.limit);
  } else {
    list_games(options, filter);
  }
}

}  // namespace

void add_games_command(CLI::App& app) {
  constexpr int kMostLines = 1'000'000'000;
  constexpr std::int64_t kMostGames = 1'000'000'000'000;
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("games", "List, filter, show and export the games of a run or a file");
  command->add_option("SOURCE", options->source, "Folder of a run, or a file of games")
      ->required()
      ->check(CLI::ExistingPath);
  command->add_option("--generation,-g", options->generations,
                      "Only games of this generation, or of a range such as 3-7");
  command->add_option("--termination", options->termination,
                      "Only games that ended so, e.g. tigers_blocked");
  command->add_option("--result", options->result, "Only games won by goats, tigers, or a draw");
  command->add_option("--min-plies", options->min_plies, "Only games at least so long");
  command->add_option("--max-plies", options->max_plies, "Only games at most so long");
  command->add_option("--limit", options->limit, "Lines to list at most")
      ->check(number_between(0, kMostLines))
      ->capture_default_str();
  CLI::Option* show = command->add_option("--show", options->show, "Draw the game of this number")
                          ->check(number_between(std::int64_t{1}, kMostGames));
  command->add_option("--ply", options->ply, "With --show: only the position after so many plies")
      ->needs(show);
  command->add_flag("--ascii", options->ascii, "Draw boards without special characters");
  command->add_option("--text", options->text_file, "Export as game text (-: print it)");
  command->add_option("--json", options->json_file,
                      "Export as JSON, one game a line (-: print it)");
  command
      ->add_option("--openings", options->openings,
                   "Statistics of the first so many plies instead of a list")
      ->check(number_between(1, 60));
  command->footer(
      "Examples:\n"
      "  baghzero games runs/quick --generation 2-4 --result goats --limit 10\n"
      "  baghzero games runs/quick --show 17\n"
      "  baghzero games games.txt --termination captures --json captures.json\n"
      "  baghzero games runs/quick --openings 4\n");
  command->callback([options] { run_games(*options); });
}

}  // namespace baghzero
