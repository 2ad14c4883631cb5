#include "cli/generation_measures.h"

#include <algorithm>
#include <map>

#include "training/evaluation_label.h"

namespace baghzero {
namespace {

constexpr std::string_view kPrefix = "evaluation/";
constexpr std::string_view kSuffix = "/score";

std::string words_of(const std::string& label) {
  const int distance = evaluation_distance(label);
  if (distance == 0) return label;
  return distance == 1 ? "the generation before" : std::to_string(distance) + " generations before";
}

// "greedy" of "evaluation/greedy/score". A name may hold slashes itself.
std::vector<std::string> opponent_labels(const RunStore& store) {
  std::vector<std::string> labels;
  for (const auto& [name, newest] : store.latest_metrics()) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    if (name.size() <= kPrefix.size() + kSuffix.size()) continue;
    labels.push_back(name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
  }
  std::ranges::stable_sort(labels, {}, evaluation_distance);
  return labels;
}

std::map<std::int64_t, int> generations_by_samples(const RunStore& store) {
  std::map<std::int64_t, int> generations;
  for (const GenerationEntry& entry : store.generations())
    generations[entry.samples] = entry.number;
  return generations;
}

}  // namespace

std::vector<OpponentScores> stored_evaluations(const RunStore& store) {
  const std::map<std::int64_t, int> generations = generations_by_samples(store);
  std::vector<OpponentScores> opponents;
  for (const std::string& label : opponent_labels(store)) {
    std::map<int, EvaluationScore> scores;
    const auto read = [&](const std::string& suffix, double EvaluationScore::*value) {
      for (const MetricEntry& entry :
           store.metrics(std::string(kPrefix) + label + std::string(kSuffix) + suffix)) {
        const auto generation = generations.find(entry.step);
        if (generation == generations.end()) continue;
        EvaluationScore& score = scores[generation->second];
        score.generation = generation->second;
        score.samples = entry.step;
        score.*value = entry.value;
      }
    };
    read("", &EvaluationScore::total);
    read("_as_goat", &EvaluationScore::as_goat);
    read("_as_tiger", &EvaluationScore::as_tiger);
    if (scores.empty()) continue;
    OpponentScores& opponent = opponents.emplace_back();
    opponent.opponent = words_of(label);
    for (const auto& [generation, score] : scores) opponent.scores.push_back(score);
  }
  return opponents;
}

std::vector<GenerationRating> stored_ratings(const RunStore& store) {
  const std::map<std::int64_t, int> generations = generations_by_samples(store);
  std::map<int, GenerationRating> ratings;
  const auto read = [&](const std::string& name, Rating GenerationRating::*rating) {
    const auto read_part = [&](const std::string& metric, double Rating::*part) {
      for (const MetricEntry& entry : store.metrics(metric)) {
        const auto generation = generations.find(entry.step);
        if (generation == generations.end()) continue;
        GenerationRating& of_generation = ratings[generation->second];
        of_generation.generation = generation->second;
        of_generation.samples = entry.step;
        of_generation.*rating.*part = entry.value;
      }
    };
    read_part(name, &Rating::elo);
    read_part(name + "_error", &Rating::error);
  };
  read("rating/elo", &GenerationRating::overall);
  read("rating/elo_as_goat", &GenerationRating::as_goat);
  read("rating/elo_as_tiger", &GenerationRating::as_tiger);
  std::vector<GenerationRating> sorted;
  for (const auto& [generation, rating] : ratings) sorted.push_back(rating);
  return sorted;
}

std::vector<SuiteMeasure> stored_suite_measures(const RunStore& store) {
  std::map<int, std::int64_t> samples;  // by generation
  for (const GenerationEntry& entry : store.generations()) samples[entry.number] = entry.samples;
  std::map<std::pair<std::string, int>, SuiteMeasure> measures;
  for (const SuiteEntry& entry : store.suite_results()) {
    if (!samples.contains(entry.generation)) continue;
    SuiteMeasure& measure = measures[{entry.suite, entry.generation}];
    measure.suite = entry.suite;
    measure.generation = entry.generation;
    measure.samples = samples.at(entry.generation);
    (entry.visits == 0 ? measure.bare : measure.search) = entry;
  }
  std::vector<SuiteMeasure> sorted;
  for (auto& [key, measure] : measures) sorted.push_back(std::move(measure));
  return sorted;
}

}  // namespace baghzero
