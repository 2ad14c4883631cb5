// Whether states and models belong to the run in whose folder they lie: those of another run may
// fit this one's sizes, and would be trained on and played with without a word.
#pragma once

#include <filesystem>

#include "nn/inference.h"
#include "training/checkpoint.h"
#include "training/run_config.h"

namespace baghzero {

// Throws std::runtime_error naming the file and both identities unless `state`, read from `file`,
// is one of the run with this configuration. States without an identity are judged by their
// network.
void refuse_foreign_state(const RunState& state, const std::filesystem::path& file,
                          const RunConfig& config);

// Loads the model of generation `number`. Throws std::runtime_error naming the file if it cannot be
// used, holds another generation, or was made under other rules or with another network than the
// run's.
NetworkPtr load_generation(const std::filesystem::path& file, int number, const RunConfig& config);

}  // namespace baghzero
