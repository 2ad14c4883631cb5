// Runs the real program as a user would.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace baghzero::test {

namespace fs = std::filesystem;

struct ProgramResult {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

// A running `baghzero` whose output is collected in files of `folder`.
class Program {
 public:
  Program(const std::vector<std::string>& arguments, const fs::path& folder);
  ~Program();  // ends it if it still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const;
  bool running();
  std::string err() const;  // so far
  ProgramResult wait();

 private:
  fs::path out_file_;
  fs::path err_file_;
  int pid_ = -1;
  int status_ = -1;
};

// Runs to the end.
ProgramResult run_program(const std::vector<std::string>& arguments);

// An empty folder of that name for one test.
fs::path fresh_folder(const std::string& name);
// Written into `folder`: a configuration that trains one generation within a second.
fs::path tiny_config(const fs::path& folder);
std::string read_text(const fs::path& file);

}  // namespace baghzero::test
