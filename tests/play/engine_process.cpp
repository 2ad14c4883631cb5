#include "tests/play/engine_process.h"

#include <csignal>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baghzero::test {
namespace {

constexpr int kHangMilliseconds = 60'000;

}  // namespace

EngineProcess::EngineProcess(const std::vector<std::string>& arguments) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes are left");
  std::vector<char*> argv = {const_cast<char*>(BAGHZERO_ENGINE)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  const int error = posix_spawn(&pid_, BAGHZERO_ENGINE, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  in_ = to[1];
  out_ = from[0];
  if (error != 0) throw std::runtime_error("cannot start " BAGHZERO_ENGINE);
  std::signal(SIGPIPE, SIG_IGN);  // an engine that has ended is seen when it is read from
}

EngineProcess::~EngineProcess() {
  close_input();
  close(out_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void EngineProcess::send(std::string_view lines) {
  std::string text(lines);
  if (!text.ends_with('\n')) text += '\n';
  sent_ += text;
  constexpr std::size_t kRemembered = 4000;
  if (sent_.size() > kRemembered) sent_.erase(0, sent_.size() - kRemembered);
  for (std::string_view left = text; !left.empty();) {
    const ssize_t written = write(in_, left.data(), left.size());
    if (written < 0) throw std::runtime_error("the engine no longer listens, after:\n" + sent_);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool EngineProcess::fill() {
  pollfd poller{out_, POLLIN, 0};
  if (poll(&poller, 1, kHangMilliseconds) == 0)
    throw std::runtime_error("the engine hangs, after:\n" + sent_);
  char bytes[4096];
  const ssize_t count = read(out_, bytes, sizeof bytes);
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string EngineProcess::read_line() {
  std::size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos)
    if (!fill()) throw std::runtime_error("the engine has ended, after:\n" + sent_);
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

std::vector<std::string> EngineProcess::read_until(std::string_view start) {
  std::vector<std::string> lines;
  do lines.push_back(read_line());
  while (!lines.back().starts_with(start));
  return lines;
}

void EngineProcess::close_input() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

std::vector<std::string> EngineProcess::read_rest() {
  while (fill()) {
  }
  std::vector<std::string> lines;
  while (!buffer_.empty()) lines.push_back(read_line());
  return lines;
}

int EngineProcess::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace baghzero::test
