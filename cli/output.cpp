#include "cli/output.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace baghzero {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string short_number(double value) {
  if (value >= 1e9) return formatted("%.3g billion", value / 1e9);
  if (value >= 1e6) return formatted("%.3g million", value / 1e6);
  return value >= 100 ? with_thousands(static_cast<std::uint64_t>(value))
                      : formatted("%.3g", value);
}

std::string percent(double share) { return formatted("%.1f %%", 100 * share); }

void write_text(const std::filesystem::path& file, std::string_view text) {
  if (file == "-") {
    std::cout << text;
    return;
  }
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace baghzero
