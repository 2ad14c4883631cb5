// Whether states and models belong to the run in whose folder they lie: those of another run may
// fit this one's sizes, and would be trained on and played with without a word.
#pragma once

#include <filesystem>

#include "nn/inference.h"
#include "training/checkpoint.h"
#include "training/run_config.h"
#include "training/run_store.h"

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

// Loads the candidate of a gate that was left unfinished. Throws std::runtime_error, too, if it is
// another file than begin_gate() writes or holds other weights than the gate was begun with.
NetworkPtr load_candidate(const std::filesystem::path& root, const GateEntry& gate,
                          const RunConfig& config);

}  // namespace baghzero
