#include "engine/rules.h"

#include <array>
#include <stdexcept>
#include <string>

namespace baghzero {
namespace {

constexpr std::array<std::string_view, 3> kRepetitionNames = {"forbidden", "threefold", "off"};
constexpr std::array<std::string_view, 4> kOutcomeNames = {"unfinished", "goats_win", "tigers_win",
                                                           "draw"};
constexpr std::array<std::string_view, 10> kTerminationNames = {
    "none",       "captures",         "tigers_blocked", "goats_blocked", "repetition_exhausted",
    "repetition", "no_capture_limit", "max_plies",      "adjudicated",   "forfeit"};

template <class Enum, std::size_t N>
Enum from_name(const char* what, std::string_view text,
               const std::array<std::string_view, N>& names) {
  std::string known;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
    known += (i ? ", " : "") + std::string(names[i]);
  }
  throw std::invalid_argument("unknown " + std::string(what) + " \"" + std::string(text) +
                              "\"; known are " + known);
}

void check_range(const char* key, int value, int low, int high) {
  if (value < low || value > high)
    throw std::invalid_argument(std::string(key) + " is " + std::to_string(value) +
                                ", but must lie between " + std::to_string(low) + " and " +
                                std::to_string(high));
}

}  // namespace

void check_rules(const Rules& rules) {
  check_range("rules.goats", rules.goats, 1, kPointCount - kTigerCount);
  check_range("rules.captures_to_win", rules.captures_to_win, 1, rules.goats);
  check_range("rules.no_capture_limit", rules.no_capture_limit, 1, kNoLimit);
  check_range("rules.max_plies", rules.max_plies, 1, kNoLimit);
}

std::string_view to_string(Repetition repetition) {
  return kRepetitionNames[static_cast<std::size_t>(repetition)];
}
std::string_view to_string(Outcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}
std::string_view to_string(Termination termination) {
  return kTerminationNames[static_cast<std::size_t>(termination)];
}
std::string_view to_string(Side side) { return side == Side::Goat ? "goat" : "tiger"; }

Repetition repetition_from_string(std::string_view text) {
  return from_name<Repetition>("repetition rule", text, kRepetitionNames);
}
Termination termination_from_string(std::string_view text) {
  return from_name<Termination>("termination", text, kTerminationNames);
}
Outcome outcome_from_string(std::string_view text) {
  return from_name<Outcome>("outcome", text, kOutcomeNames);
}

}  // namespace baghzero
