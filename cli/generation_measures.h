// What evaluations and solved positions say of the generations of a run, as `status` and `report`
// show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "selfplay/ratings.h"
#include "training/run_store.h"

namespace baghzero {

// Scores of one generation against an opponent, 0..1; a draw counts half.
struct EvaluationScore {
  int generation = 0;
  std::int64_t samples = 0;  // of that generation
  double total = 0;
  double as_goat = 0;
  double as_tiger = 0;
};
struct OpponentScores {
  std::string opponent;                 // for people: "greedy", "2 generations before"
  std::vector<EvaluationScore> scores;  // by generation; at least one
};
// Fixed opponents by name, then earlier generations, the nearest first. Empty if the run has not
// been evaluated.
std::vector<OpponentScores> stored_evaluations(const RunStore& store);

// The rating of one generation by its evaluations.
struct GenerationRating {
  int generation = 0;
  std::int64_t samples = 0;  // of that generation
  Rating overall;
  Rating as_goat;
  Rating as_tiger;
};
// By generation; the first of evaluation.opponents has 0. Empty if none has been rated.
std::vector<GenerationRating> stored_ratings(const RunStore& store);

// What a generation made of a suite of solved positions.
struct SuiteMeasure {
  std::string suite;
  int generation = 0;
  std::int64_t samples = 0;          // of that generation
  std::optional<SuiteEntry> bare;    // of its network alone
  std::optional<SuiteEntry> search;  // the one with the most visits, if there are several
};
// By suite, then by generation. Empty if the run has not been measured.
std::vector<SuiteMeasure> stored_suite_measures(const RunStore& store);

}  // namespace baghzero
