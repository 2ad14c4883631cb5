#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/progress.h"
#include "engine/text.h"

namespace baghzero {
namespace {

constexpr int kBarColumns = 24;

std::string printf_number(const char* format, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string format_count(double value) {
  return grouped(static_cast<std::int64_t>(std::max(value, 0.0)));
}

std::string format_rate(double rate) {
  if (rate >= 100) return format_count(rate);
  return printf_number(rate >= 10 ? "%.1f" : "%.2f", rate);
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The first `columns` characters of UTF-8 text whose characters are all one column wide.
std::string cut_to_columns(const std::string& text, int columns) {
  int used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_continuation(text[i])) continue;
    if (used == columns) return text.substr(0, i);
    ++used;
  }
  return text;
}

std::string bar(double share, const ProgressStyle& style) {
  const int filled = static_cast<int>(std::lround(share * kBarColumns));
  const std::string full = style.unicode ? "━" : "=";
  const std::string empty = style.unicode ? "─" : "-";
  std::string text;
  if (!style.unicode) text += "[";
  for (int i = 0; i < kBarColumns; ++i) text += i < filled ? full : empty;
  if (!style.unicode) text += "]";
  return text;
}

std::string counts(const ProgressState& state) {
  std::string text = format_count(state.done);
  if (state.total > 0) text.append("/").append(format_count(state.total));
  return text.append(" ").append(state.unit);
}

std::string pace_text(const ProgressState& state, const ProgressPace& pace,
                      const std::string& separator) {
  std::string text = separator;
  if (!state.steady)
    return pace.elapsed < 1 ? "" : text.append("for ").append(format_duration(pace.elapsed));
  if (pace.rate <= 0) return "";
  text.append(format_rate(pace.rate)).append(" ").append(state.unit).append("/s");
  if (state.total > state.done)
    text.append(separator)
        .append(format_duration((state.total - state.done) / pace.rate))
        .append(" left");
  return text;
}

}  // namespace

std::string format_duration(double seconds) {
  const auto total = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  const auto hours = total / 3600;
  const auto minutes = total / 60 % 60;
  std::array<char, 64> text{};
  if (hours > 0)
    std::snprintf(text.data(), text.size(), "%lld h %02lld min", hours, minutes);
  else if (minutes > 0)
    std::snprintf(text.data(), text.size(), "%lld min %02lld s", minutes, total % 60);
  else
    std::snprintf(text.data(), text.size(), "%lld s", total);
  return text.data();
}

std::string render_bar(const ProgressState& state, const ProgressPace& pace, int columns,
                       const ProgressStyle& style) {
  const std::string separator = style.unicode ? " · " : ", ";
  std::string front = state.label;
  front.resize(std::max<std::size_t>(front.size(), 10), ' ');
  std::string picture;
  std::string back;
  if (state.total > 0) {
    const double share = std::clamp(state.done / state.total, 0.0, 1.0);
    picture = bar(share, style);
    back = printf_number("%3.0f %%", std::floor(share * 100));
    back.append(separator);
  }
  back.append(counts(state)).append(pace_text(state, pace, separator));
  if (!state.detail.empty()) back.append(separator).append(state.detail);

  const std::string gap = picture.empty() ? "" : " ";
  const std::string line = cut_to_columns(front.append(" ") + picture + gap + back, columns);
  const std::size_t picture_at = front.size();
  if (!style.colour || picture.empty() || line.size() < picture_at + picture.size()) return line;
  constexpr std::string_view kCyan = "\x1b[36m";
  constexpr std::string_view kPlain = "\x1b[0m";
  std::string coloured = line.substr(0, picture_at);
  return coloured.append(kCyan).append(picture).append(kPlain).append(
      line.substr(picture_at + picture.size()));
}

std::string render_line(const ProgressState& state, const ProgressPace& pace) {
  std::string text = state.label + ": " + counts(state);
  if (state.total > 0)
    text.append(printf_number(" (%.0f %%)", std::floor(100 * state.done / state.total)));
  text.append(pace_text(state, pace, ", "));
  if (!state.detail.empty()) text.append(", ").append(state.detail);
  return text;
}

}  // namespace baghzero
