#include "selfplay/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/agents/agent.h"

namespace baghzero {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

// How long a request to stop may go unseen.
constexpr std::chrono::milliseconds kGlance{50};

pid_t spawn_shell(const std::string& command, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  // This process may ignore it, which its children would inherit.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  std::string shell = "sh";
  std::string option = "-c";
  std::string text = command;
  std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::system_error(error, std::generic_category(), "cannot start \"" + command + "\"");
  return pid;
}

}  // namespace

ChildProcess::ChildProcess(const std::string& command) {
  // A socket instead of pipes: writing to a program that has ended is an error and no signal.
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(),
                            "no connection to \"" + command + "\" can be made");
  try {
    pid_ = spawn_shell(command, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  socket_ = ends[0];
}

ChildProcess::~ChildProcess() {
  close(socket_);
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool ChildProcess::await(short events, Deadline deadline) const {
  for (;;) {
    if (stopped_ && stopped_()) throw Interrupted();
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd poller{socket_, events, 0};
    if (poll(&poller, 1, static_cast<int>(std::min(left, kGlance).count())) > 0) return true;
  }
}

bool ChildProcess::write(std::string_view text, Deadline deadline) {
  while (!text.empty()) {
    const ssize_t count = send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (!await(POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      report_end();
    }
  }
  return true;
}

bool ChildProcess::fill(Deadline deadline) {
  if (!await(POLLIN, deadline)) return false;
  std::array<char, 4096> bytes;
  const ssize_t count = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count > 0)
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  else if (count == 0 || (errno != EAGAIN && errno != EINTR))
    report_end();
  return true;
}

std::optional<std::string> ChildProcess::read_line(Deadline deadline) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (buffer_.size() > kLongestLine) throw ChildEnded("wrote a line without an end");
    searched = buffer_.size();
    if (!fill(deadline)) return std::nullopt;
  }
}

void ChildProcess::leave(Deadline deadline) {
  shutdown(socket_, SHUT_WR);
  try {
    while (fill(deadline)) buffer_.clear();
  } catch (const ChildEnded&) {  // as it was asked to
  }
}

void ChildProcess::report_end() {
  if (pid_ < 0) throw ChildEnded("has ended before");
  // A program closes its output a moment before it can be waited for.
  constexpr int kTries = 100;
  int status = 0;
  for (int i = 0; i < kTries; ++i) {
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      kill(-pid_, SIGKILL);  // what the shell may have left behind
      pid_ = -1;
      throw ChildEnded(WIFSIGNALED(status)
                           ? "was ended by signal " + std::to_string(WTERMSIG(status))
                           : "ended with exit code " + std::to_string(WEXITSTATUS(status)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw ChildEnded("closed its output");
}

}  // namespace baghzero
