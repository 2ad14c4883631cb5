// Stopping on SIGINT, SIGTERM and SIGHUP: the first asks, the second insists.
#pragma once

#include <atomic>
#include <string>

namespace baghzero {

// While one exists, the first of these signals sets stop() and says so on stderr; a second one ends
// the process at once. What is on disk stays whole then, as after a crash. One at a time. From the
// first on, SIGPIPE and SIGXFSZ are ignored in this process: a reader of its output that goes away
// must not cost a run its end, and a file that may not grow is an error like a full disk.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  const std::atomic<bool>& stop() const;
  // Exit code by which a shell knows the signal; 0 if there was none.
  int exit_code() const;
  // "SIGINT", or nothing if there was none.
  std::string name() const;
};

}  // namespace baghzero
