// Stopping on SIGINT and SIGTERM: the first asks, the second insists.
#pragma once

#include <atomic>

namespace baghzero {

// While one exists, the first SIGINT or SIGTERM sets stop() and says so on stderr; a second one
// ends the process at once. What is on disk stays whole then, as after a crash. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  const std::atomic<bool>& stop() const;
  // Exit code by which a shell knows the signal; 0 if there was none.
  int exit_code() const;
};

}  // namespace baghzero
