// The real engine program, driven over pipes as by a user interface.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace baghzero::test {

class EngineProcess {
 public:
  explicit EngineProcess(const std::vector<std::string>& arguments = {});
  ~EngineProcess();  // ends it if it still runs
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  // A line, or several, to its standard input.
  void send(std::string_view lines);
  // The next line of its standard output. Throws std::runtime_error with what was sent and heard
  // last if it hangs (a minute without a word) or has ended.
  std::string read_line();
  // All lines up to the first that begins with `start`, that one included.
  std::vector<std::string> read_until(std::string_view start);
  void close_input();
  // What is left of its output, and its exit code (128 + signal if a signal ended it).
  std::vector<std::string> read_rest();
  int wait();

 private:
  bool fill();  // false at the end of output

  int pid_ = -1;
  int in_ = -1;   // its standard input
  int out_ = -1;  // its standard output
  std::string buffer_;
  std::string sent_;  // lately, for messages
};

}  // namespace baghzero::test
