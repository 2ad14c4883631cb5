#include "selfplay/judge.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/agents.h"
#include "cli/commands/commands.h"
#include "cli/config.h"
#include "cli/judge_output.h"
#include "cli/limit_options.h"
#include "cli/match_output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "engine/thread_count.h"
#include "play/number_check.h"

namespace baghzero {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string agent;
  std::string opponent;
  int games = 200;
  LimitOptions limits;
  std::uint64_t seed = 1;
  std::string folder = default_database_folder().string();
  std::string suite;
  std::string config;
  std::vector<std::string> overrides;
  bool json = false;
};

// Says what the judge found, as text or collected as JSON.
class Findings {
 public:
  Findings(const Player& player, bool json) : json_(json) { result_ = {{"agent", player.name}}; }

  void match(const MatchReport& report, const GameJudge& judge) {
    if (!json_) {
      std::cout << match_as_text({report, {}}) << "\nMoves that gave away value:\n"
                << mistakes_as_text(judge.played());
      if (judge.has_policy())
        std::cout << "\nThe bare policy in the same positions:\n"
                  << mistakes_as_text(judge.policy());
      std::cout << "\n";
      return;
    }
    Json entry = {
        {"opponent", report.second},
        {"match", Json::parse(match_as_json({report, {}}))},
        {"moves", mistakes_as_json(judge.played())},
        {"policy", judge.has_policy() ? mistakes_as_json(judge.policy()) : Json(nullptr)}};
    result_["games"].push_back(std::move(entry));
  }
  void suite(const SuiteReport& report) {
    if (json_)
      result_["suite"] = suite_as_json(report);
    else
      std::cout << "Moves that keep the value:\n" << suite_as_text(report) << "\n";
  }
  void bare(const BareReport& report) {
    if (json_) {
      result_["policy"] = suite_as_json(report.policy);
      result_["values"] = values_as_json(report.values);
      return;
    }
    std::cout << "The bare policy, without search: moves that keep the value:\n"
              << suite_as_text(report.policy) << "\nThe bare network's values:\n"
              << values_as_text(report.values);
  }
  void finish() const {
    if (json_) std::cout << result_.dump(2) << "\n";
  }

 private:
  bool json_;
  Json result_;
};

class JudgeRun {
 public:
  JudgeRun(const Options& options, const RunConfig& config)
      : options_(options),
        config_(config),
        display_(make_stderr_display()),
        on_warning_(make_warner(display_)),
        player_(make_player(parse_agent(options.agent), defaults())),
        findings_(player_, options.json) {}

  int run() {
    if (!is_solved_game(config_.rules))
      throw std::invalid_argument(
          "judge needs the game that is solved: rules.goats = 20 and rules.captures_to_win = 5");
    if (options_.suite.empty())
      judge_games();
    else
      judge_suite();
    if (!stopped()) findings_.finish();
    return signals_.exit_code();
  }

 private:
  bool stopped() const { return signals_.stop().load(); }
  int pairs() const { return (options_.games + 1) / 2; }
  AgentDefaults defaults() const {
    AgentDefaults defaults = options_.limits.defaults();
    defaults.search = config_.selfplay.search;
    defaults.inference = config_.inference;
    defaults.on_warning = on_warning_;
    return defaults;
  }

  void judge_games() {
    const auto database = std::make_shared<const SolvedDatabase>(options_.folder);
    const AgentSpec perfect{.kind = AgentKind::Perfect, .file = options_.folder};
    require_playable(make_player(perfect, defaults()),
                     make_openings(config_.rules, pairs(), options_.seed));
    if (!options_.opponent.empty()) judge_against(database, parse_agent(options_.opponent));
    if (!stopped()) judge_against(database, perfect);
  }

  void judge_against(const std::shared_ptr<const SolvedDatabase>& database,
                     const AgentSpec& opponent) {
    const Player second = make_player(opponent, defaults());
    MatchSettings settings;
    settings.rules = config_.rules;
    settings.inference = config_.inference;
    settings.workers = config_.selfplay.workers;
    settings.seed = options_.seed;
    settings.stop = &signals_.stop();
    settings.on_warning = on_warning_;
    SolvedProbe probe(database);
    const auto openings =
        make_openings_where(config_.rules, pairs(), options_.seed, [&](const Position& position) {
          const auto value = probe.value(position);
          return !value || value->outcome == Outcome::Draw;
        });
    GameJudge judge(database, player_, config_.inference, on_warning_);
    MatchTally tally(player_.name, second.name);
    settings.on_progress = [&](const MatchProgress& progress) {
      display_->update({"against " + second.name, "games", static_cast<double>(progress.games),
                        2.0 * pairs(), plies_text(progress)});
    };
    settings.on_progress({});
    play_match(player_, second, openings, settings,
               [&](const MatchGame& as_goat, const MatchGame& as_tiger) {
                 tally.add(as_goat, as_tiger);
                 for (const MatchGame* game : {&as_goat, &as_tiger})
                   judge.add(game->game, game->first_is_tiger ? Side::Tiger : Side::Goat,
                             openings[static_cast<std::size_t>(game->pair)].plies());
                 return true;
               });
    display_->finish();
    if (tally.report().pairs > 0) findings_.match(tally.report(), judge);
  }

  void judge_suite() {
    const std::vector<SuitePosition> suite = load_suite(options_.suite).positions;
    if (!player_.network || player_.visits > 0) {
      const SuiteReport report = run_suite(player_, config_.inference, config_.rules, suite,
                                           suite_control("suite", suite.size()), on_warning_);
      display_->finish();
      if (!stopped()) findings_.suite(report);
    }
    if (!player_.network || stopped()) return;
    const BareReport report =
        run_suite_bare(player_, config_.inference, config_.rules, suite,
                       suite_control("bare network", suite.size()), on_warning_);
    display_->finish();
    if (!stopped()) findings_.bare(report);
  }

  SolveControl suite_control(const std::string& name, std::size_t positions) {
    SolveControl control;
    control.threads = thread_count(config_.selfplay.workers);
    control.stop = &signals_.stop();
    control.progress = [this, name, total = static_cast<double>(positions)](double share) {
      display_->update({name, "positions", share * total, total, ""});
    };
    return control;
  }

  const Options& options_;
  const RunConfig& config_;
  const std::shared_ptr<ProgressDisplay> display_;
  const WarningSink on_warning_;
  const Player player_;
  Findings findings_;
  const StopSignals signals_;
};

}  // namespace

void add_judge_command(CLI::App& app, int& exit_code) {
  constexpr int kMostGames = 1'000'000;
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "judge", "Measure how often a player gives away value, by the solved game");
  command->add_option("AGENT", options->agent, "The player to judge")
      ->required()
      ->check(check_agent);
  auto* opponent = command
                       ->add_option("--opponent", options->opponent,
                                    "Judge games against this player too, not perfect alone")
                       ->check(check_agent);
  auto* games = command
                    ->add_option("--games", options->games,
                                 "Games against each opponent, half of them in each role, from "
                                 "openings that are draws")
                    ->check(number_between(2, kMostGames))
                    ->capture_default_str();
  add_limit_options(*command, options->limits);
  command
      ->add_option("--suite", options->suite,
                   "Instead of games: the positions of a file made by `baghzero suite make`")
      ->excludes(opponent)
      ->excludes(games);
  command->add_option("--seed", options->seed, "Equal seeds give equal openings and games")
      ->check(seed_number())
      ->capture_default_str();
  command->add_option("--db", options->folder,
                      "Folder of the solved game (default: $BAGHZERO_DB, else solved)");
  command->add_option("--config", options->config,
                      "Configuration whose rules, search, inference and workers apply");
  command->add_option("--set", options->overrides, "Override a value: section.key=value")
      ->take_all()
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      agent_help() +
      "\nA move errs if another legal move had a better exact value. Rates are shares "
      "of the moves\nthat could have erred, with a 95 % interval that takes games as clusters.\n"
      "\nExamples:\n"
      "  baghzero judge gen:runs/quick/4 --db solved\n"
      "  baghzero judge greedy --opponent random --games 1000 --json\n"
      "  baghzero judge gen:runs/quick/4 --visits 200 --suite suite.txt\n");
  command->callback([options, &exit_code] {
    std::vector<AgentSpec> players = {parse_agent(options->agent)};
    if (!options->opponent.empty()) players.push_back(parse_agent(options->opponent));
    check_limits(options->limits, players);
    // Forbidden repetition drives even perfect players out of drawn positions (docs/solver.md).
    std::vector<std::string> overrides = options->overrides;
    if (options->config.empty()) overrides.insert(overrides.begin(), "rules.repetition=threefold");
    RunConfig config = load_config_or_defaults(options->config, overrides);
    load_solved_movement(config);
    exit_code = JudgeRun(*options, config).run();
  });
}

}  // namespace baghzero
