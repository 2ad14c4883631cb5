#include "cli/progress.h"

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <set>
#include <thread>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command_name.h"

namespace baghzero {
namespace {

// A rate over less than this is noise.
constexpr double kShortestRateSeconds = 0.5;
constexpr std::chrono::seconds kTickInterval{1};
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
  const auto known = beginnings_.find(state.label);
  const bool fresh = known == beginnings_.end() || state.done < known->second.last_done;
  if (fresh) beginnings_[state.label] = {state.done, now, state.done};
  beginnings_[state.label].last_done = state.done;
  // Plain output says something only after the interval: short phases stay silent.
  if (!active_ && !style_.interactive) last_shown_ = now;
  active_ = true;
  state_ = std::move(state);
  const bool complete = state_.total > 0 && state_.done >= state_.total;
  if (style_.interactive && (fresh || complete))
    draw_bar(now);
  else
    show_if_due(now, style_.redraw_interval);
}

void ProgressDisplay::tick() {
  const std::lock_guard lock(mutex_);
  if (active_) show_if_due(clock_(), kTickInterval);
}

void ProgressDisplay::show_if_due(std::chrono::steady_clock::time_point now,
                                  std::chrono::milliseconds redraw) {
  if (style_.interactive) {
    if (now - last_shown_ >= redraw) draw_bar(now);
  } else if (now - last_shown_ >= style_.line_interval) {
    write_(clock_time() + render_line(state_, pace(now)) + "\n");
    last_shown_ = now;
  }
}

void ProgressDisplay::finish() {
  const std::lock_guard lock(mutex_);
  erase_bar();
  active_ = false;
  beginnings_.clear();
}

void ProgressDisplay::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const bool redraw = bar_shown_;
  erase_bar();
  write_(std::string(text) + "\n");
  last_shown_ = clock_();
  if (redraw) draw_bar(last_shown_);
}

void ProgressDisplay::erase_bar() {
  if (!bar_shown_) return;
  write_(kEraseLine);
  bar_shown_ = false;
}

void ProgressDisplay::draw_bar(std::chrono::steady_clock::time_point now) {
  // One column stays free: some terminals wrap when the last one is written.
  write_(std::string(kEraseLine) + render_bar(state_, pace(now), columns_() - 1, style_));
  bar_shown_ = true;
  last_shown_ = now;
}

ProgressPace ProgressDisplay::pace(std::chrono::steady_clock::time_point now) const {
  const Beginning& begin = beginnings_.at(state_.label);
  const double seconds = std::chrono::duration<double>(now - begin.time).count();
  return {seconds < kShortestRateSeconds ? 0 : (state_.done - begin.done) / seconds, seconds};
}

std::function<void(const std::string&)> make_warner(std::shared_ptr<ProgressDisplay> display) {
  struct Shown {
    std::mutex mutex;
    std::set<std::string> sentences;
  };
  return [display = std::move(display),
          shown = std::make_shared<Shown>()](const std::string& sentence) {
    const std::lock_guard lock(shown->mutex);
    if (shown->sentences.insert(sentence).second) display->line("warning: " + as_called(sentence));
  };
}

namespace {

struct TickingDisplay {
  template <class... Arguments>
  explicit TickingDisplay(Arguments&&... arguments)
      : display(std::forward<Arguments>(arguments)...),
        ticker([this](const std::stop_token& ended) { run(ended); }) {}

  void run(const std::stop_token& ended) {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, ended, kTickInterval, [&] { return ended.stop_requested(); }))
      display.tick();
  }

  ProgressDisplay display;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::jthread ticker;  // last: it uses all the others
};

}  // namespace

std::shared_ptr<ProgressDisplay> make_stderr_display() {
  const auto write_all = [](std::string_view text) {
    while (!text.empty()) {
      const auto written = ::write(STDERR_FILENO, text.data(), text.size());
      if (written <= 0) return;  // nobody listens any more; nothing depends on it
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  };
  const auto ticking = std::make_shared<TickingDisplay>(
      progress_style_of(STDERR_FILENO), write_all, [] { return terminal_columns(STDERR_FILENO); });
  return {ticking, &ticking->display};
}

}  // namespace baghzero
