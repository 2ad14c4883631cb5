#include "engine/agents/search_agent.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "engine/search/search.h"

namespace baghzero {
namespace {

// More than any evaluator answers; the tree's memory is taken for so many.
constexpr std::uint64_t kMostVisitsPerMillisecond = 1000;

class SearchAgent final : public Agent {
 public:
  SearchAgent(std::string name, std::unique_ptr<Evaluator> evaluator,
              const SearchAgentSettings& settings)
      : name_(std::move(name)),
        evaluator_(std::move(evaluator)),
        settings_(settings),
        search_(settings.search, SearchMode::Match) {}

  std::string name() const override { return name_; }
  void new_game(std::uint64_t seed) override {
    random_ = Random(seed);
    first_ply_ = -1;
  }

  Action choose(const Game& game) override {
    if (first_ply_ < 0) first_ply_ = game.plies();
    if (game.legal().size() == 1) return game.legal()[0];
    const bool early = game.plies() - first_ply_ < settings_.temperature_plies;
    const double temperature = early ? settings_.temperature : 0;
    if (settings_.time_per_move.count() > 0) {
      search_by_time(game);
      return search_.sample_action(static_cast<float>(temperature), random_);
    }
    if (settings_.visits == 0) {
      const Query query = make_query(game);
      Evaluation evaluation;
      evaluator_->evaluate({&query, 1}, {&evaluation, 1});
      return policy_action(query, evaluation, temperature, random_);
    }
    search_.begin(game, {.visits = static_cast<std::uint32_t>(settings_.visits)}, random_());
    search_.run(*evaluator_);
    return search_.sample_action(static_cast<float>(temperature), random_);
  }

 private:
  void search_by_time(const Game& game) {
    const auto deadline = std::chrono::steady_clock::now() + settings_.time_per_move;
    const auto most =
        static_cast<std::uint64_t>(settings_.time_per_move.count()) * kMostVisitsPerMillisecond;
    const auto visits =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(most, settings_.search.max_nodes));
    search_.begin(game, {.visits = visits}, random_());
    Evaluation evaluation;
    while (search_.advance() == SearchStatus::NeedsEvaluation) {
      evaluator_->evaluate({&search_.leaf(), 1}, {&evaluation, 1});
      search_.supply(evaluation);
      if (std::chrono::steady_clock::now() >= deadline) search_.stop();
    }
  }

  std::string name_;
  std::unique_ptr<Evaluator> evaluator_;
  SearchAgentSettings settings_;
  Search search_;
  Random random_{0};
  int first_ply_ = -1;  // at which it was first asked in this game; -1: not yet
};

}  // namespace

std::unique_ptr<Agent> make_search_agent(std::string name, std::unique_ptr<Evaluator> evaluator,
                                         const SearchAgentSettings& settings) {
  if (!evaluator) throw std::invalid_argument("the agent '" + name + "' has no evaluator");
  if (settings.visits < 0 || settings.time_per_move.count() < 0 || settings.temperature_plies < 0 ||
      !(settings.temperature >= 0))
    throw std::invalid_argument("the agent '" + name +
                                "' has negative visits, time, temperature or temperature plies");
  return std::make_unique<SearchAgent>(std::move(name), std::move(evaluator), settings);
}

Action policy_action(const Query& query, const Evaluation& evaluation, double temperature,
                     Random& random) {
  const int count = query.legal.size();
  const auto* const begin = evaluation.policy.begin();
  const auto* const best = std::max_element(begin, begin + count);
  if (temperature <= 0 || !(*best > 0)) return query.legal[static_cast<int>(best - begin)];
  // Relative to the best move, so that a low temperature underflows for bad moves only.
  std::array<double, kMaxLegalActions> weights;
  double total = 0;
  for (int i = 0; i < count; ++i) {
    weights[i] = std::pow(static_cast<double>(begin[i]) / *best, 1 / temperature);
    total += weights[i];
  }
  double left = random.uniform() * total;
  for (int i = 0; i < count; ++i) {
    left -= weights[i];
    if (left < 0) return query.legal[i];
  }
  return query.legal[static_cast<int>(best - begin)];
}

}  // namespace baghzero
