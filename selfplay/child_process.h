// A program that is talked to line by line, and never waited for without an end.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

namespace baghzero {

// The program is no longer there to talk to; what() goes on after "it", such as "ended with exit
// code 1".
class ChildEnded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Belongs to one thread at a time.
class ChildProcess {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Runs `command` by /bin/sh, in a process group of its own, so that Ctrl-C in the terminal does
  // not reach it. Its standard error stays that of this process. Throws std::runtime_error if no
  // process can be had.
  explicit ChildProcess(const std::string& command);
  ~ChildProcess();  // ends the whole group
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // From now on every wait asks `stopped` now and then, and throws Interrupted once it says yes. An
  // empty function: none does.
  void interrupt_when(std::function<bool()> stopped) { stopped_ = std::move(stopped); }
  // Whether it took the whole text before the deadline. Throws ChildEnded.
  bool write(std::string_view text, Deadline deadline);
  // The next line of its standard output without its end; nothing if none is complete at the
  // deadline. Throws ChildEnded, also at a line that is longer than any protocol's.
  std::optional<std::string> read_line(Deadline deadline);
  // Closes its standard input and waits for the end of its output, until the deadline at most.
  void leave(Deadline deadline);

 private:
  // Waits until the socket is ready for one of `events` or closed; false at the deadline.
  bool await(short events, Deadline deadline) const;
  bool fill(Deadline deadline);  // false at the deadline
  [[noreturn]] void report_end();

  pid_t pid_ = -1;
  int socket_ = -1;  // its standard input and output
  std::function<bool()> stopped_;
  std::string buffer_;
};

}  // namespace baghzero
