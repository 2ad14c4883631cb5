// A check of numbers on the command line that says what is wrong with one.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace baghzero {

// For CLI::Option::check(): a number written in full that lies between the bounds, both included.
template <class Number>
CLI::Validator number_between(Number low, Number high) {
  const auto text_of = [](Number number) {
    char text[64];
    char* end = text;
    if constexpr (std::is_integral_v<Number>)
      end = std::to_chars(text, text + sizeof text, number).ptr;
    else
      end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr;
    return std::string(text, end);
  };
  const std::string range = text_of(low) + " to " + text_of(high);
  const std::string wanted =
      std::string(std::is_integral_v<Number> ? "a whole number" : "a number") + " from " + range;
  return CLI::Validator(
      [=](const std::string& text) {
        Number number{};
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        const bool good = error == std::errc() && stop == end && number >= low && number <= high;
        return good ? std::string() : wanted + " is wanted, not \"" + text + "\"";
      },
      range);
}

// The same for seeds, of which every number of 64 bits is one.
inline CLI::Validator seed_number() {
  return number_between<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace baghzero
