// Progress bars and log lines on one output, which never get in each other's way.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace baghzero {

struct ProgressStyle {
  bool interactive = false;  // redraw one bar in place; otherwise a line now and then
  bool colour = false;
  bool unicode = false;
  std::chrono::milliseconds redraw_interval{100};
  std::chrono::seconds line_interval{15};  // of silence before a progress line when not interactive
};

// What suits a stream of this process: a terminal or not, NO_COLOR, TERM=dumb, the locale.
ProgressStyle progress_style_of(int file_descriptor);
// Columns of the terminal behind a stream; 80 if it is none.
int terminal_columns(int file_descriptor);

struct ProgressState {
  std::string label;  // what is going on, e.g. "self-play"
  std::string unit;   // of done and total, e.g. "games"
  double done = 0;
  double total = 0;    // 0: unknown
  std::string detail;  // one short phrase
  // Whether units come one by one. If not, no rate and no time left are shown, which would mislead,
  // but how long it has been going on.
  bool steady = true;
};

// How fast a phase goes: units per second, 0 while unknown, and seconds since its first update.
struct ProgressPace {
  double rate = 0;
  double elapsed = 0;
};

// One line of at most `columns` columns: label, bar, done/total, rate, time left, detail.
std::string render_bar(const ProgressState& state, const ProgressPace& pace, int columns,
                       const ProgressStyle& style);
// The same facts as a plain sentence.
std::string render_line(const ProgressState& state, const ProgressPace& pace);
// "1 h 02 min", "4 min 10 s", "12 s".
std::string format_duration(double seconds);

// Thread-safe. Everything written to the terminal while a bar may stand goes through line().
class ProgressDisplay {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  // `write` puts bytes out at once; `columns` is asked at every redraw.
  ProgressDisplay(const ProgressStyle& style, std::function<void(std::string_view)> write,
                  std::function<int()> columns, Clock clock = std::chrono::steady_clock::now);
  // Leaves no bar behind.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void update(ProgressState state);
  // Shows the last state again if it is time to: for whoever waits while no update comes.
  void tick();
  // Removes the bar until the next update(); the next phase starts with a fresh rate.
  void finish();
  // A full line (without its end) above the bar.
  void line(std::string_view text);

 private:
  void erase_bar();
  void draw_bar(std::chrono::steady_clock::time_point now);
  void show_if_due(std::chrono::steady_clock::time_point now, std::chrono::milliseconds redraw);
  ProgressPace pace(std::chrono::steady_clock::time_point now) const;

  const ProgressStyle style_;
  const std::function<void(std::string_view)> write_;
  const std::function<int()> columns_;
  const Clock clock_;

  std::mutex mutex_;  // guards everything below
  ProgressState state_;
  bool active_ = false;     // a phase is under way
  bool bar_shown_ = false;  // a bar stands on the last line
  // Of every label since the last finish(), for phases that go on side by side report in turn.
  struct Beginning {
    double done = 0;
    std::chrono::steady_clock::time_point time;
    double last_done = 0;
  };
  std::map<std::string, Beginning> beginnings_;
  std::chrono::steady_clock::time_point last_shown_;  // anything: bar, progress line or message
};

// Shows warnings on `display`, each distinct sentence once. What is returned is thread-safe.
std::function<void(const std::string&)> make_warner(std::shared_ptr<ProgressDisplay> display);

// The display on this process's stderr, with a thread that calls tick().
std::shared_ptr<ProgressDisplay> make_stderr_display();

}  // namespace baghzero
