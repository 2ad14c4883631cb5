#include "cli/progress.h"

#include <array>
#include <cstdlib>
#include <ctime>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace baghzero {
namespace {

// A rate over less than this is noise.
constexpr double kShortestRateSeconds = 0.5;
constexpr int kDefaultColumns = 80;
constexpr std::string_view kEraseLine = "\r\x1b[2K";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

std::string clock_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S ", &local);
  return text.data();
}

}  // namespace

ProgressStyle progress_style_of(int file_descriptor) {
  ProgressStyle style;
  style.interactive = isatty(file_descriptor) == 1 && environment("TERM") != "dumb";
  style.colour = style.interactive && environment("NO_COLOR").empty();
  style.unicode = locale_is_utf8();
  return style;
}

int terminal_columns(int file_descriptor) {
  winsize size{};
  const bool known = ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultColumns;
}

ProgressDisplay::ProgressDisplay(const ProgressStyle& style,
                                 std::function<void(std::string_view)> write,
                                 std::function<int()> columns, Clock clock)
    : style_(style),
      write_(std::move(write)),
      columns_(std::move(columns)),
      clock_(std::move(clock)) {}

ProgressDisplay::~ProgressDisplay() { finish(); }

void ProgressDisplay::update(ProgressState state) {
  const std::lock_guard lock(mutex_);
  const auto now = clock_();
  const bool fresh = !active_ || state.label != state_.label || state.done < state_.done;
  if (fresh) {
    begin_done_ = state.done;
    begin_time_ = now;
    // Plain output says something only after the interval: short phases stay silent.
    if (!style_.interactive) last_shown_ = now;
  }
  active_ = true;
  state_ = std::move(state);
  if (style_.interactive) {
    const bool complete = state_.total > 0 && state_.done >= state_.total;
    if (fresh || complete || now - last_shown_ >= style_.redraw_interval) draw_bar(now);
  } else if (now - last_shown_ >= style_.line_interval) {
    write_(clock_time() + render_line(state_, rate(now)) + "\n");
    last_shown_ = now;
  }
}

void ProgressDisplay::finish() {
  const std::lock_guard lock(mutex_);
  erase_bar();
  active_ = false;
}

void ProgressDisplay::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const bool redraw = bar_shown_;
  erase_bar();
  write_(std::string(text) + "\n");
  if (redraw) draw_bar(clock_());
}

void ProgressDisplay::erase_bar() {
  if (!bar_shown_) return;
  write_(kEraseLine);
  bar_shown_ = false;
}

void ProgressDisplay::draw_bar(std::chrono::steady_clock::time_point now) {
  // One column stays free: some terminals wrap when the last one is written.
  write_(std::string(kEraseLine) + render_bar(state_, rate(now), columns_() - 1, style_));
  bar_shown_ = true;
  last_shown_ = now;
}

double ProgressDisplay::rate(std::chrono::steady_clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - begin_time_).count();
  return seconds < kShortestRateSeconds ? 0 : (state_.done - begin_done_) / seconds;
}

std::shared_ptr<ProgressDisplay> make_stderr_display() {
  const auto write_all = [](std::string_view text) {
    while (!text.empty()) {
      const auto written = ::write(STDERR_FILENO, text.data(), text.size());
      if (written <= 0) return;  // nobody listens any more; nothing depends on it
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  };
  return std::make_shared<ProgressDisplay>(progress_style_of(STDERR_FILENO), write_all,
                                           [] { return terminal_columns(STDERR_FILENO); });
}

}  // namespace baghzero
