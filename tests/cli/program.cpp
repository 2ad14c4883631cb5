#include "tests/cli/program.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baghzero::test {
namespace {

constexpr const char* kTinyConfig =
    "[rules]\nmax_plies = 60\n"
    "[network]\nblocks = 1\nchannels = 8\nsqueeze_channels = 4\nvalue_hidden = 8\n"
    "[inference]\ndevice = \"cpu\"\ncache_entries = 1024\nmax_batch = 16\n"
    "[selfplay]\nworkers = 1\nslots_per_worker = 16\nfull_visits = 12\ncheap_visits = 4\n"
    "[training]\ndevice = \"cpu\"\nbatch = 32\nwindow_min_rows = 64\nwarmup_samples = 64\n"
    "threads = 1\n"
    "[gate]\nmode = \"always\"\nvisits = 4\nmax_pairs = 2\n"
    "[evaluation]\nopponents = \"greedy\"\ngenerations = 1\npairs = 1\nvisits = 4\n"
    "[run]\ngames_per_iteration = 16\ngenerations = 1\nclosing_pairs = 2\n";

int decode_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The tests may themselves have been started by run.sh, whose name the program would then print.
[[maybe_unused]] const int kNameForgotten = ::unsetenv("BAGHZERO_COMMAND");

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder)
    : out_file_(folder / "stdout"), err_file_(folder / "stderr") {
  std::vector<char*> argv = {const_cast<char*>(BAGHZERO_BINARY)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_file_.c_str(), flags, 0644);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_file_.c_str(), flags, 0644);
  const int error = posix_spawn(&pid_, BAGHZERO_BINARY, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " BAGHZERO_BINARY);
}

Program::~Program() {
  if (!running()) return;
  send(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::send(int signal) const { kill(pid_, signal); }

bool Program::running() {
  if (status_ >= 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  status_ = decode_status(status);
  return false;
}

std::string Program::err() const { return read_text(err_file_); }

ProgramResult Program::wait() {
  if (status_ < 0) {
    int status = 0;
    waitpid(pid_, &status, 0);
    status_ = decode_status(status);
  }
  return {status_, read_text(out_file_), read_text(err_file_)};
}

ProgramResult run_program(const std::vector<std::string>& arguments) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  Program program(arguments, fresh_folder(std::string("program_output_") + test->name()));
  return program.wait();
}

std::filesystem::path fresh_folder(const std::string& name) {
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      ("baghzero_" + std::to_string(::getpid()) + "_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::filesystem::path tiny_config(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tiny.toml";
  std::ofstream(file) << kTinyConfig;
  return file;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace baghzero::test
