#include "selfplay/judge.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "engine/agents/search_agent.h"
#include "engine/text.h"
#include "selfplay/game_file.h"

namespace baghzero {

namespace {

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

Game game_at(const SuitePosition& entry, const Rules& rules) {
  return {rules, entry.position, kSolvedGoats - entry.position.goats_in_hand()};
}

bool can_err(const SuitePosition& entry, const ActionList& legal) {
  return entry.rank >= 0 && entry.keeping.size() < legal.size();
}

void count_move(const SuitePosition& entry, Action action, SuiteReport& report) {
  report.at(entry.position) += {1, entry.keeping.contains(action) ? 1 : 0, 0};
}

// Calls work(thread, begin, end) for blocks of the suite.
template <class Work>
void run_in_blocks(std::span<const SuitePosition> suite, std::size_t block,
                   const SolveControl& control, Work work) {
  parallel_blocks(
      control, suite.size(), block, [&](int thread, std::size_t begin, std::size_t end) {
        work(static_cast<std::size_t>(thread), begin, end);
        if (thread == 0 && control.progress)
          control.progress(static_cast<double>(end) / static_cast<double>(suite.size()));
      });
}

}  // namespace

double error_share(const SuiteCounts& counts) { return 1 - share(counts.kept, counts.positions); }

double right_share(const ValueCounts& values) { return share(values.right, values.positions); }

double mean_cross_entropy(const ValueCounts& values) {
  return values.cross_entropy / static_cast<double>(values.positions);
}

std::string errors_text(const SuiteReport& moves) {
  std::string text = percent(error_share(moves.total()));
  for (const Side side : kSides) {
    const SuiteCounts counts = moves.total(side);
    text.append(side == Side::Goat ? " (" : ", ")
        .append(to_string(side))
        .append(" ")
        .append(counts.positions > 0 ? percent(error_share(counts)) : "-");
  }
  return text + ")";
}

std::unique_ptr<Agent> make_agent_of(const Player& player, const InferenceSettings& inference,
                                     const WarningSink& on_warning) {
  if (player.make_agent) return player.make_agent();
  return make_search_agent(player.name, make_evaluator_of(player, inference, on_warning),
                           {.search = player.search,
                            .visits = player.visits,
                            .temperature = player.temperature,
                            .temperature_plies = player.opening_temperature_plies});
}

GameJudge::GameJudge(std::shared_ptr<const SolvedDatabase> database, const Player& player,
                     const InferenceSettings& inference, const WarningSink& on_warning)
    : probe_(std::move(database)), evaluator_(make_evaluator_of(player, inference, on_warning)) {}

void GameJudge::add(const Game& game, Side side, int first_ply) {
  ByRoleAndPhase<MistakeCounts> played;
  ByRoleAndPhase<MistakeCounts> policy;
  Game replay(game.rules(), game.start(), game.start_goat_moves());
  for (const Action action : game.moves()) {
    if (replay.plies() >= first_ply && replay.side_to_move() == side) {
      const Position& position = replay.position();
      const auto ranks = rank_moves(probe_, position, replay.legal());
      if (!ranks)
        throw std::runtime_error("these games cannot be judged: " +
                                 missing_layers(probe_.database()));
      played.at(position).add(*ranks, ranks->ranks[replay.legal().index_of(action)]);
      if (evaluator_) {
        const Query query = make_query(replay);
        Evaluation evaluation;
        evaluator_->evaluate({&query, 1}, {&evaluation, 1});
        const Action choice = policy_action(query, evaluation, 0, random_);
        policy.at(position).add(*ranks, ranks->ranks[replay.legal().index_of(choice)]);
      }
    }
    replay.play(action);
  }
  played_.add_game(played);
  policy_.add_game(policy);
}

SuiteReport run_suite(const Player& player, const InferenceSettings& inference, const Rules& rules,
                      std::span<const SuitePosition> suite, const SolveControl& control,
                      const WarningSink& on_warning) {
  std::vector<std::unique_ptr<Agent>> agents(static_cast<std::size_t>(control.threads));
  for (auto& agent : agents) {
    agent = make_agent_of(player, inference, on_warning);
    agent->interrupt_when([&control] { return control.stopped(); });
  }
  const auto on_forfeit = [&](const std::string& reason) {
    if (on_warning) on_warning("the player '" + player.name + "' forfeits a position: " + reason);
  };
  return run_suite(agents, rules, suite, control, on_forfeit);
}

SuiteReport run_suite(std::span<const std::unique_ptr<Agent>> agents, const Rules& rules,
                      std::span<const SuitePosition> suite, const SolveControl& control,
                      const WarningSink& on_forfeit) {
  assert(std::ssize(agents) == control.threads);
  constexpr std::size_t kBlock = 16;
  std::vector<SuiteReport> reports(agents.size());
  run_in_blocks(suite, kBlock, control,
                [&](std::size_t thread, std::size_t begin, std::size_t end) {
                  for (std::size_t i = begin; i < end; ++i) {
                    const Game game = game_at(suite[i], rules);
                    if (!can_err(suite[i], game.legal())) continue;
                    agents[thread]->new_game(i);
                    try {
                      count_move(suite[i], agents[thread]->choose(game), reports[thread]);
                    } catch (const Forfeit& forfeit) {
                      reports[thread].at(suite[i].position) += {1, 0, 1};
                      if (on_forfeit) on_forfeit(forfeit.what());
                    } catch (const Interrupted&) {
                      return;
                    }
                  }
                });
  SuiteReport sum;
  for (const SuiteReport& report : reports) sum += report;
  return sum;
}

BareReport run_suite_bare(const Player& player, const InferenceSettings& inference,
                          const Rules& rules, std::span<const SuitePosition> suite,
                          const SolveControl& control, const WarningSink& on_warning) {
  std::vector<std::unique_ptr<Evaluator>> evaluators(static_cast<std::size_t>(control.threads));
  for (auto& evaluator : evaluators) evaluator = make_evaluator_of(player, inference, on_warning);
  return run_suite_bare(evaluators, rules, suite, control);
}

BareReport run_suite_bare(std::span<const std::unique_ptr<Evaluator>> evaluators,
                          const Rules& rules, std::span<const SuitePosition> suite,
                          const SolveControl& control) {
  assert(std::ssize(evaluators) == control.threads);
  constexpr int kMostInBlock = 64;
  const auto block = static_cast<std::size_t>(std::min(kMostInBlock, evaluators[0]->max_batch()));
  std::vector<BareReport> reports(evaluators.size());
  run_in_blocks(suite, block, control, [&](std::size_t thread, std::size_t begin, std::size_t end) {
    std::vector<Query> queries;
    for (std::size_t i = begin; i < end; ++i)
      queries.push_back(make_query(game_at(suite[i], rules)));
    std::vector<Evaluation> evaluations(queries.size());
    evaluators[thread]->evaluate(queries, evaluations);
    Random unused(0);  // at temperature 0 nothing is drawn
    for (std::size_t i = begin; i < end; ++i) {
      const Query& query = queries[i - begin];
      const Evaluation& evaluation = evaluations[i - begin];
      reports[thread].values.at(suite[i].position).add(evaluation.wdl, suite[i].rank);
      if (can_err(suite[i], query.legal))
        count_move(suite[i], policy_action(query, evaluation, 0, unused), reports[thread].policy);
    }
  });
  BareReport sum;
  for (const BareReport& report : reports) {
    sum.policy += report.policy;
    sum.values += report.values;
  }
  return sum;
}

Suite load_suite(const std::string& file) {
  const std::string text = read_text_file(file);
  try {
    return {std::string(suite_title(text)), parse_suite(text)};
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(file + ": " + error.what());
  }
}

}  // namespace baghzero
