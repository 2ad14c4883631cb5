#include "selfplay/match.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/agents.h"
#include "cli/commands/commands.h"
#include "cli/config.h"
#include "cli/match_output.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"

namespace baghzero {
namespace {

struct Options {
  std::string first;
  std::string second;
  int pairs = 100;
  int visits = 64;
  std::uint64_t seed = 1;
  std::string config;
  std::vector<std::string> overrides;
  std::string json_file;
  std::string games_file;
};

// Writes games as they finish; a match that is stopped leaves those it had.
class GameFile {
 public:
  explicit GameFile(const std::string& file) : file_(file) {
    if (file_.empty()) return;
    stream_.open(file_);
    check();
  }
  void add(const MatchGame& game, const MatchReport& report) {
    if (file_.empty()) return;
    stream_ << match_game_as_text(game, report) << "\n" << std::flush;
    check();
  }

 private:
  void check() const {
    if (!stream_) throw std::runtime_error("cannot write the games to " + file_);
  }
  const std::string file_;
  std::ofstream stream_;
};

void run_match(const Options& options, int& exit_code) {
  const RunConfig config = load_config_or_defaults(options.config, options.overrides);
  const SearchSettings& search = config.selfplay.search;
  const Player first = make_player(parse_agent(options.first), options.visits, search);
  const Player second = make_player(parse_agent(options.second), options.visits, search);
  GameFile games(options.games_file);

  const StopSignals signals;
  MatchSettings settings;
  settings.rules = config.rules;
  settings.inference = config.inference;
  settings.workers = config.selfplay.workers;
  settings.seed = options.seed;
  settings.stop = &signals.stop();
  const auto openings = make_openings(config.rules, options.pairs, options.seed);

  const auto display = make_stderr_display();
  const auto show = [&](const MatchReport& report) {
    const std::string detail = report.pairs > 0 ? running_score(report) : "";
    display->update({"match", "pairs", static_cast<double>(report.pairs),
                     static_cast<double>(options.pairs), detail});
  };
  MatchTally tally(first.name, second.name);
  show(tally.report());
  play_match(first, second, openings, settings,
             [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
               tally.add(as_goat, as_tiger);
               games.add(as_goat, tally.report());
               games.add(as_tiger, tally.report());
               show(tally.report());
               return true;
             });
  display->finish();
  if (options.json_file != "-") std::cout << match_as_text(tally.report());
  if (!options.json_file.empty()) write_text(options.json_file, match_as_json(tally.report()));
  exit_code = signals.exit_code();
}

// Refuses a wrong agent as wrong usage, before anything is loaded.
std::string check_agent(const std::string& text) {
  try {
    parse_agent(text);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace

void add_match_command(CLI::App& app, int& exit_code) {
  constexpr int kMostPairs = 1'000'000;
  constexpr int kMostVisits = 1'000'000;
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "match", "Let two players meet, each opening twice with roles swapped, and report the score");
  command->add_option("A", options->first, "First player; the score is told from its view")
      ->required()
      ->check(check_agent);
  command->add_option("B", options->second, "Second player")->required()->check(check_agent);
  command->add_option("--pairs,-n", options->pairs, "Openings; two games each")
      ->check(CLI::Range(1, kMostPairs))
      ->capture_default_str();
  command->add_option("--visits,-v", options->visits, "Simulations per move of network players")
      ->check(CLI::Range(0, kMostVisits))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Equal seeds give equal openings and games")
      ->capture_default_str();
  command->add_option("--config", options->config,
                      "Configuration whose rules, search, inference and workers apply");
  command->add_option("--set", options->overrides, "Override a value: section.key=value")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--json", options->json_file, "Write the report as JSON (-: print it)");
  command->add_option("--games", options->games_file, "Write all games as text");
  command->footer(agent_help() +
                  "\nExamples:\n"
                  "  baghzero match random greedy --pairs 500\n"
                  "  baghzero match net:gen-0002.bzn net:gen-0001.bzn --visits 200\n"
                  "  baghzero match net:gen-0002.bzn,visits=400 net:gen-0002.bzn,visits=50 "
                  "--json report.json\n");
  command->callback([options, &exit_code] { run_match(*options, exit_code); });
}

}  // namespace baghzero
