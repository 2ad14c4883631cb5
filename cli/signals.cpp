#include "cli/signals.h"

#include <csignal>
#include <string_view>

#include <unistd.h>

namespace baghzero {
namespace {

// A handler can reach nothing but globals; lock-free atomics are all it may touch.
std::atomic<bool> stop_requested{false};
std::atomic<int> first_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr int kExitBySignal = 128;

void handle(int signal) {
  if (stop_requested.exchange(true)) ::_exit(kExitBySignal + signal);
  first_signal = signal;
  constexpr std::string_view kNotice =
      "\nbaghzero: stopping; this saves first (once more stops at once)\n";
  // Nothing can be done in a handler if nobody reads.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kNotice.data(), kNotice.size());
}

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  stop_requested = false;
  first_signal = 0;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  set_handler(handle);
}

StopSignals::~StopSignals() { set_handler(SIG_DFL); }

const std::atomic<bool>& StopSignals::stop() const { return stop_requested; }

int StopSignals::exit_code() const { return first_signal == 0 ? 0 : kExitBySignal + first_signal; }

std::string StopSignals::name() const {
  switch (first_signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "";
  }
}

}  // namespace baghzero
