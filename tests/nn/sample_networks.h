// Networks and positions for the tests of nn.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/random.h"
#include "nn/frozen_network.h"

namespace baghzero {

inline constexpr NetworkSettings kSmallNetwork{
    .blocks = 2, .channels = 16, .squeeze_channels = 4, .value_hidden = 24};

// A network all of whose parameters matter and whose answers differ from position to position:
// nothing is left at its initial zero or one.
inline std::shared_ptr<const FrozenWeights> make_lively_network(const NetworkSettings& settings,
                                                                std::uint64_t seed,
                                                                int generation = 7) {
  Random random(seed);
  std::vector<std::vector<float>> tensors;
  for (const TensorSpec& spec : tensor_specs(settings)) {
    const auto fan_in = static_cast<double>(spec.size() / spec.shape[0]);
    const double width = spec.decays ? std::sqrt(3 / fan_in) : 0.2;
    auto& tensor = tensors.emplace_back(static_cast<std::size_t>(spec.size()));
    for (float& value : tensor)
      value = static_cast<float>(spec.initial_mean + width * (2 * random.uniform() - 1));
  }
  return std::make_shared<const FrozenWeights>(settings, generation, std::move(tensors));
}

// Positions of random games with their legal actions; some near a limit.
inline std::vector<Query> random_queries(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Query> queries;
  Rules rules;
  rules.max_plies = 90;
  Game game(rules);
  while (std::ssize(queries) < count) {
    if (game.over()) game = Game(rules);
    queries.push_back(make_query(game));
    const auto choices = static_cast<unsigned>(game.legal().size());
    game.play(game.legal()[static_cast<int>(random.below(choices))]);
  }
  return queries;
}

// Largest difference of any probability between two answers to `query`.
inline float difference(const Query& query, const Evaluation& a, const Evaluation& b) {
  float worst = std::max({std::abs(a.wdl.win - b.wdl.win), std::abs(a.wdl.draw - b.wdl.draw),
                          std::abs(a.wdl.loss - b.wdl.loss)});
  for (int i = 0; i < query.legal.size(); ++i)
    worst = std::max(worst, std::abs(a.policy[i] - b.policy[i]));
  return worst;
}

inline std::vector<Evaluation> evaluate_all(Evaluator& evaluator,
                                            const std::vector<Query>& queries) {
  std::vector<Evaluation> answers(queries.size());
  evaluator.evaluate(queries, answers);
  return answers;
}

}  // namespace baghzero
