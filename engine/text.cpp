#include "engine/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <vector>

namespace baghzero {
namespace {

std::size_t edit_distance(std::string_view first, std::string_view second) {
  std::vector<std::size_t> row(second.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < second.size(); ++j) {
      const std::size_t replaced = diagonal + (first[i] == second[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

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

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

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

std::string quoted(std::string_view text) {
  constexpr std::size_t kMostBytes = 80;
  std::string result = "\"";
  for (const char letter : text.substr(0, kMostBytes)) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= ' ' && byte < 0x7f) {
      result.push_back(letter);
      continue;
    }
    std::array<char, 8> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
    result.append(escaped.data());
  }
  return result.append(text.size() > kMostBytes ? "...\"" : "\"");
}

std::string nearest_name(std::string_view text, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string shell_word(const std::filesystem::path& path) {
  std::string text = path.string();
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,=@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text) quoted.append(letter == '\'' ? "'\\''" : std::string(1, letter));
  return quoted.append("'");
}

}  // namespace baghzero
