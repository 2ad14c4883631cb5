#include "engine/text.h"

#include <array>
#include <cstdio>

namespace baghzero {

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::ptrdiff_t first = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > first; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string counted(std::int64_t number, std::string_view singular, std::string_view plural) {
  std::string text = grouped(number);
  text.append(" ");
  if (number == 1) return text.append(singular);
  if (!plural.empty()) return text.append(plural);
  return text.append(singular).append("s");
}

std::string decimal(double value, int digits, bool sign) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), sign ? "%+.*f" : "%.*f", digits, value);
  return text.data();
}

std::string percent(double share, int digits) { return decimal(100 * share, digits) + " %"; }

std::string on_one_line(std::string_view text) {
  std::string line;
  bool broken = false;
  for (const char letter : text) {
    if (letter == '\n' || letter == '\r') {
      broken = true;
      continue;
    }
    if (broken && !line.empty()) line.append(line.ends_with(':') ? " " : "; ");
    broken = false;
    line.push_back(letter);
  }
  return line;
}

}  // namespace baghzero
