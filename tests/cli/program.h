// Runs the real program as a user would.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// Expects that exit code, nothing on stdout, and one line on stderr that begins as every error does
// and matches `says`; a text must be a part of it.
template <class Says>
void expect_error(const ProgramResult& result, int exit_code, const Says& says) {
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::StartsWith("baghzero: error: "));
  if constexpr (std::is_convertible_v<Says, std::string>)
    EXPECT_THAT(result.err, ::testing::HasSubstr(std::string(says)));
  else
    EXPECT_THAT(result.err, says);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
}

// An empty folder of that name for one test.
fs::path fresh_folder(const std::string& name);
// Written into `folder`: a configuration that trains one generation within a second.
fs::path tiny_config(const fs::path& folder);
std::string read_text(const fs::path& file);

}  // namespace baghzero::test
