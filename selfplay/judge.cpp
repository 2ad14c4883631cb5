#include "selfplay/judge.h"

#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/agents/search_agent.h"

namespace baghzero {

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
  Game replay(game.rules(), game.start(), game.start_goat_moves());
  for (const Action action : game.moves()) {
    if (replay.plies() >= first_ply && replay.side_to_move() == side) {
      const Position& position = replay.position();
      const auto ranks = rank_moves(probe_, position, replay.legal());
      if (!ranks)
        throw std::runtime_error(
            "these games cannot be judged: layers of the placement phase are missing; `baghzero "
            "solve` makes them");
      played_.add(position, *ranks, ranks->ranks[replay.legal().index_of(action)]);
      if (evaluator_) {
        const Query query = make_query(replay);
        Evaluation evaluation;
        evaluator_->evaluate({&query, 1}, {&evaluation, 1});
        const Action choice = policy_action(query, evaluation, 0, random_);
        policy_.add(position, *ranks, ranks->ranks[replay.legal().index_of(choice)]);
      }
    }
    replay.play(action);
  }
}

SuiteCounts SuiteReport::total() const {
  SuiteCounts sum;
  for (const auto& phases : counts_)
    for (const SuiteCounts& counts : phases) sum += counts;
  return sum;
}

SuiteReport& SuiteReport::operator+=(const SuiteReport& other) {
  for (std::size_t side = 0; side < counts_.size(); ++side)
    for (std::size_t phase = 0; phase < kGamePhases; ++phase)
      counts_[side][phase] += other.counts_[side][phase];
  forfeits_ += other.forfeits_;
  return *this;
}

SuiteReport run_suite(const Player& player, const InferenceSettings& inference, const Rules& rules,
                      std::span<const SuitePosition> suite, const SolveControl& control,
                      const WarningSink& on_warning) {
  constexpr std::size_t kBlock = 16;
  const auto threads = static_cast<std::size_t>(control.threads);
  std::vector<std::unique_ptr<Agent>> agents(threads);
  for (auto& agent : agents) agent = make_agent_of(player, inference, on_warning);
  std::vector<SuiteReport> reports(threads);
  parallel_blocks(
      control, suite.size(), kBlock, [&](int thread, std::size_t begin, std::size_t end) {
        const auto t = static_cast<std::size_t>(thread);
        for (std::size_t i = begin; i < end; ++i) {
          const SuitePosition& entry = suite[i];
          const Position& position = entry.position;
          const Game game(rules, position, kSolvedGoats - position.goats_in_hand());
          if (entry.rank < 0 || entry.keeping.size() == game.legal().size()) continue;
          agents[t]->new_game(i);
          SuiteCounts& counts = reports[t].counts(position.side_to_move(), phase_of(position));
          ++counts.positions;
          try {
            counts.kept += entry.keeping.contains(agents[t]->choose(game));
          } catch (const Forfeit& forfeit) {
            reports[t].count_forfeit();
            if (on_warning)
              on_warning("the player '" + player.name + "' forfeits a position: " + forfeit.what());
          }
        }
        if (thread == 0 && control.progress)
          control.progress(static_cast<double>(begin) / static_cast<double>(suite.size()));
      });
  SuiteReport sum;
  for (const SuiteReport& report : reports) sum += report;
  return sum;
}

}  // namespace baghzero
