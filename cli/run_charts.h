// The charts of a run's page: curves over the number of samples trained.
#pragma once

#include <string>
#include <vector>

#include "cli/generation_measures.h"
#include "training/run_store.h"

namespace baghzero {

// The section of what the run has told of itself, with its gates; empty if that is nothing.
std::string run_curves(const RunStore& store);
// The ratings, and one for each opponent.
std::string evaluation_charts(const std::vector<GenerationRating>& ratings,
                              const std::vector<OpponentScores>& opponents);
// Of one suite; empty without measures.
std::string suite_charts(const std::vector<SuiteMeasure>& measures);

}  // namespace baghzero
