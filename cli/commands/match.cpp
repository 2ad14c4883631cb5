#include "selfplay/match.h"

#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/agents.h"
#include "cli/commands/commands.h"
#include "cli/config.h"
#include "cli/limit_options.h"
#include "cli/match_games.h"
#include "cli/match_output.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "play/number_check.h"

namespace baghzero {
namespace {

constexpr int kUsualPairs = 100;
constexpr int kUsualSprtPairs = 2000;
constexpr int kMostPairs = 1'000'000;

struct Options {
  std::string first;
  std::string second;
  std::optional<int> pairs;
  LimitOptions limits;
  std::uint64_t seed = 1;
  std::string openings_file;
  bool sprt = false;
  SprtSettings hypotheses;
  std::string config;
  std::vector<std::string> overrides;
  std::string json_file;
  std::string games_file;
  bool resume = false;
};

std::vector<Game> choose_openings(const Options& options, const Rules& rules) {
  if (options.openings_file.empty()) {
    const int pairs = options.pairs.value_or(options.sprt ? kUsualSprtPairs : kUsualPairs);
    return make_openings(rules, pairs, options.seed);
  }
  auto openings =
      parse_openings(read_text_file(options.openings_file), options.openings_file, rules);
  const auto available = static_cast<int>(openings.size());
  if (options.pairs.value_or(0) > available)
    throw std::invalid_argument("--pairs asks for " + std::to_string(*options.pairs) +
                                " openings, but " + options.openings_file + " has " +
                                std::to_string(available));
  openings.resize(static_cast<std::size_t>(options.pairs.value_or(available)));
  return openings;
}

// What is shown of a match while it goes on.
class Scoring {
 public:
  Scoring(const Options& options, const Player& first, const Player& second, int pairs,
          std::shared_ptr<ProgressDisplay> display)
      : options_(options),
        pairs_(pairs),
        tally_(first.name, second.name),
        display_(std::move(display)) {
    show({});
  }
  // For pairs of an earlier start.
  void add_played(const MatchGame& as_goat, const MatchGame& as_tiger) {
    tally_.add(as_goat, as_tiger);
    games_before_ += 2;
    show({});
  }
  // Whether the match goes on.
  bool add(const MatchGame& as_goat, const MatchGame& as_tiger) {
    tally_.add(as_goat, as_tiger);
    return !decided();
  }
  bool decided() const {
    return options_.sprt && sprt(tally_.report().pair_counts, options_.hypotheses).decision !=
                                SprtDecision::Continue;
  }
  const MatchReport& report() const { return tally_.report(); }
  void show(const MatchProgress& progress) {
    const MatchReport& so_far = tally_.report();
    std::string detail = so_far.pairs > 0 ? running_score(so_far) : plies_text(progress);
    if (options_.sprt && so_far.pairs > 0)
      detail.append(", ").append(llr_text(so_far, options_.hypotheses));
    display_->update({"match", "games", static_cast<double>(games_before_ + progress.games),
                      2.0 * pairs_, detail});
  }

 private:
  const Options& options_;
  const int pairs_;
  int games_before_ = 0;
  MatchTally tally_;
  const std::shared_ptr<ProgressDisplay> display_;
};

void run_match(const Options& options, int& exit_code) {
  check_output(options.json_file);
  check_sprt(options.hypotheses, "--");
  const std::array<AgentSpec, 2> specs = {parse_agent(options.first), parse_agent(options.second)};
  check_limits(options.limits, specs);
  RunConfig config = load_config_or_defaults(options.config, options.overrides);
  load_solved_movement(config);
  const auto display = make_stderr_display();
  AgentDefaults defaults = options.limits.defaults();
  defaults.search = config.selfplay.search;
  defaults.inference = config.inference;
  defaults.on_warning = make_warner(display);
  const Player first = make_player(specs[0], defaults);
  const Player second = make_player(specs[1], defaults);
  const std::vector<Game> openings = choose_openings(options, config.rules);
  // Before the file of games is made; play_match() would say the same later.
  require_playable(first, openings);
  require_playable(second, openings);
  MatchGames games(options.games_file, options.resume, first.name, second.name, openings);

  const StopSignals signals;
  MatchSettings settings;
  settings.rules = config.rules;
  settings.inference = config.inference;
  settings.workers = config.selfplay.workers;
  settings.seed = options.seed;
  settings.stop = &signals.stop();

  Scoring scoring(options, first, second, static_cast<int>(openings.size()), display);
  settings.on_warning = defaults.on_warning;
  settings.on_progress = [&](const MatchProgress& progress) { scoring.show(progress); };
  const std::vector<MatchGame> played = games.take_played();
  for (std::size_t i = 0; i + 1 < played.size() && !scoring.decided(); i += 2)
    scoring.add_played(played[i], played[i + 1]);
  settings.first_pair = static_cast<int>(played.size() / 2);
  if (!scoring.decided())
    play_match(first, second, std::span(openings).subspan(played.size() / 2), settings,
               [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
                 games.add(as_goat);
                 games.add(as_tiger);
                 return scoring.add(as_goat, as_tiger);
               });
  display->finish();
  const MatchVerdict verdict{scoring.report(),
                             options.sprt ? std::optional(options.hypotheses) : std::nullopt};
  if (options.json_file != "-") std::cout << match_as_text(verdict);
  if (!options.json_file.empty()) write_text(options.json_file, match_as_json(verdict));
  exit_code = signals.exit_code();
}

void add_sprt_options(CLI::App& command, Options& options) {
  command.add_flag("--sprt", options.sprt,
                   "Stop as soon as the sequential test decides between two Elo differences");
  command.add_option("--elo0", options.hypotheses.elo0, "The first player is no stronger")
      ->capture_default_str();
  command.add_option("--elo1", options.hypotheses.elo1, "The first player is at least so strong")
      ->capture_default_str();
  command.add_option("--alpha", options.hypotheses.alpha, "Error rate at elo0")
      ->capture_default_str();
  command.add_option("--beta", options.hypotheses.beta, "Error rate at elo1")
      ->capture_default_str();
}

void add_output_options(CLI::App& command, Options& options) {
  command.add_option("--json", options.json_file, "Write the report as JSON (-: print it)");
  CLI::Option* games =
      command.add_option("--games", options.games_file, "Write all games as text, as they finish");
  command
      .add_flag("--resume", options.resume,
                "Go on with the match whose games are in the file of --games")
      ->needs(games);
}

}  // namespace

void add_match_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "match", "Let two players meet, each opening twice with roles swapped, and report the score");
  command->add_option("A", options->first, "First player; the score is told from its view")
      ->required()
      ->check(check_agent);
  command->add_option("B", options->second, "Second player")->required()->check(check_agent);
  command
      ->add_option("--pairs,-n", options->pairs,
                   "Openings, two games each [100; with --sprt 2000 at most; all of a file]")
      ->check(number_between(1, kMostPairs));
  add_limit_options(*command, options->limits);
  command->add_option("--seed", options->seed, "Equal seeds give equal openings and games")
      ->check(seed_number())
      ->capture_default_str();
  command->add_option("--openings", options->openings_file,
                      "File of openings: one a line, as moves or FEN, or games with tags");
  add_sprt_options(*command, *options);
  command->add_option("--config", options->config,
                      "Configuration whose rules, search, inference and workers apply");
  command->add_option("--set", options->overrides, "Override a value: section.key=value")
      ->take_all()
      ->allow_extra_args(false);
  add_output_options(*command, *options);
  command->footer(
      agent_help() +
      "\nExamples:\n"
      "  baghzero match random greedy --pairs 500\n"
      "  baghzero match alphabeta:4 mcts:1000 --games games.txt\n"
      "  baghzero match gen:runs/quick/2 gen:runs/quick/1 --visits 200 --sprt --elo1 20\n"
      "  baghzero match gen:runs/quick/2,visits=400 gen:runs/quick/2,visits=50 "
      "--json report.json\n");
  command->callback([options, &exit_code] { run_match(*options, exit_code); });
}

}  // namespace baghzero
