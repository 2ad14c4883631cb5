// The last lines of a training run.
#pragma once

#include <filesystem>
#include <string>

#include "training/run.h"
#include "training/settings.h"

namespace baghzero {

// How it ended (`stopped_by` names a signal), generations, wall time, memory, and what the last
// generation scored. Several lines.
std::string summarise_run(const RunResult& result, const GateSettings& gate,
                          const std::filesystem::path& run_dir, const std::string& stopped_by = "");

// One line: how to go on with a run that was stopped.
std::string how_to_go_on(const std::filesystem::path& run_dir);
// How to go on with a run that had finished before, and that the keys `changed` keep their values,
// if there are any.
std::string how_to_train_on(RunEnd end, const RunSettings& run,
                            const std::filesystem::path& run_dir, const std::string& changed = {});

}  // namespace baghzero
