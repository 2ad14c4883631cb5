// Pages that need no other file, no network and no script, and look right on light and dark
// screens.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace baghzero {

// snprintf into a string; for short pieces (511 characters at most).
template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// For use as text or as the value of an attribute.
std::string escaped(std::string_view text);

// Everything up to the body's content, a heading included. The classes of its style: overall, goat,
// tiger, draw and series0 to series7 colour what has a stroke or a filling; grid, line, and board
// with its parts; charts is a grid of figures.
std::string html_begin(const std::string& title);
std::string html_end();

}  // namespace baghzero
