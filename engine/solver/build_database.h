// Solving the game into a folder, layer by layer, so that it can be stopped or killed at any moment
// and goes on from the last finished layer.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

namespace baghzero {

struct BuildSettings {
  int threads = 1;
  bool movement_only = false;
  int last_placed = 0;  // the placement layers from 19 down to this one are made
  const std::atomic<bool>* stop = nullptr;
};

struct BuildProgress {
  double share = 0;    // of the whole work, by processor time as measured before
  std::string detail;  // the layer, e.g. "placement, 17 goats placed"
};

struct BuildResult {
  bool finished = false;  // false if stopped
  int solved = 0;         // layers made now
  int kept = 0;           // layers that were there already
};

// Files that are there are checked and kept. Needs about 2 GiB of memory for the placement phase
// and 200 MiB for the movement phase. `progress` is called from the calling thread. Throws
// std::runtime_error with one sentence if the folder cannot be written or a file in it is not
// whole.
BuildResult build_database(const std::filesystem::path& folder, const BuildSettings& settings,
                           const std::function<void(const BuildProgress&)>& progress);

}  // namespace baghzero
