#include "training/loss_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace baghzero {
namespace {

// Probabilities below this count as this: a float's rounding must not make a loss infinite.
constexpr float kLeastProbability = 1e-9F;

double cross_entropy(double target, float probability) {
  return target > 0 ? -target * std::log(std::max(probability, kLeastProbability)) : 0;
}

double policy_loss(const TrainingRow& row, const Query& query, int symmetry, const Query& image,
                   const Evaluation& answer) {
  double loss = 0;
  for (int i = 0; i < query.legal.size(); ++i) {
    const Action action = apply_symmetry_to_action(symmetry, query.legal[i]);
    loss += cross_entropy(static_cast<double>(row.policy[i]) / kShareUnit,
                          answer.policy[image.legal.index_of(action)]);
  }
  return loss;
}

double value_loss(const Wdl& target, const Wdl& answer) {
  return cross_entropy(target.win, answer.win) + cross_entropy(target.draw, answer.draw) +
         cross_entropy(target.loss, answer.loss);
}

}  // namespace

PlayLoss evaluator_loss(Evaluator& evaluator, const ReplayWindow& window, int rows,
                        std::uint64_t seed) {
  Random random(seed);
  std::vector<RowChoice> choices(static_cast<std::size_t>(rows));
  window.sample(random, choices);
  std::vector<Query> images;
  images.reserve(choices.size());
  for (const RowChoice& choice : choices)
    images.push_back(apply_symmetry(choice.symmetry, unpack_query(window.row(choice.slot).query)));
  std::vector<Evaluation> answers(images.size());
  const auto most = static_cast<std::size_t>(evaluator.max_batch());
  for (std::size_t first = 0; first < images.size(); first += most) {
    const std::size_t count = std::min(most, images.size() - first);
    evaluator.evaluate(std::span(images).subspan(first, count),
                       std::span(answers).subspan(first, count));
  }
  PlayLoss sum;
  int full = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const TrainingRow& row = window.row(choices[i].slot);
    sum.value += value_loss(row.value(), answers[i].wdl);
    if (!row.full_search) continue;
    ++full;
    sum.policy +=
        policy_loss(row, unpack_query(row.query), choices[i].symmetry, images[i], answers[i]);
  }
  return {sum.policy / std::max(1, full), sum.value / std::max(1, rows)};
}

}  // namespace baghzero
