// Where a run stands, as it tells the database every few seconds, for those who look from outside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "training/run_config.h"
#include "training/run_folder.h"
#include "training/run_observer.h"
#include "training/run_store.h"

namespace baghzero {

struct StoredProgress {
  PhaseProgress phase;
  std::int64_t at = 0;  // seconds since 1970
  double seconds = 0;   // wall time of the run so far
  std::int64_t samples = 0;
  std::int64_t rows = 0;         // all that games have given
  std::int64_t window_rows = 0;  // of those, in the window
};

// In the database once a run has ended by its limits: the pairs of each closing match that were
// asked for; empty or missing before.
inline constexpr const char* kFinishedKey = "finished";

// Does not commit.
void store_progress(RunStore& store, const StoredProgress& progress);
// Nothing if the run has told none yet. Throws std::runtime_error if it cannot be understood.
std::optional<StoredProgress> stored_progress(const RunStore& store);
// Whether there is a run that has nothing left to do because it has reached `run.generations`,
// which no damaged state takes back. Other limits depend on the state that is resumed from: then
// no.
bool is_surely_finished(const RunFolder& folder, const RunConfig& config);

}  // namespace baghzero
