// Runs the real program as a user would.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace baghzero::test {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

// A running `baghzero` whose output is collected in files of `folder`.
class Program {
 public:
  Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder);
  ~Program();  // ends it if it still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const;
  bool running();
  std::string err() const;  // so far
  ProgramResult wait();

 private:
  std::filesystem::path out_file_;
  std::filesystem::path err_file_;
  int pid_ = -1;
  int status_ = -1;
};

// Runs to the end.
ProgramResult run_program(const std::vector<std::string>& arguments);

// An empty folder of that name for one test.
std::filesystem::path fresh_folder(const std::string& name);
// Written into `folder`: a configuration that trains one generation within a second.
std::filesystem::path tiny_config(const std::filesystem::path& folder);
std::string read_text(const std::filesystem::path& file);

}  // namespace baghzero::test
