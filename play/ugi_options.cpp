#include "play/ugi_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "play/position_text.h"

namespace baghzero {
namespace {

constexpr int kMostThreads = 64;
constexpr std::int64_t kMostCacheMib = 1 << 16;
constexpr std::int64_t kMostOverhead = 5000;
constexpr std::int64_t kLeastNodes = 1024;

// A whole number within a range, bound to its place in the values.
struct Spin {
  std::string_view name;
  std::int64_t low;
  std::int64_t high;
  UgiChange change;
  std::function<std::int64_t(const UgiValues&)> get;
  std::function<void(UgiValues&, std::int64_t)> set;
};

template <class Access>
Spin spin(std::string_view name, std::int64_t low, std::int64_t high, UgiChange change,
          Access access) {
  return {name,
          low,
          high,
          change,
          [access](const UgiValues& values) {
            return static_cast<std::int64_t>(access(const_cast<UgiValues&>(values)));
          },
          [access](UgiValues& values, std::int64_t value) {
            auto& place = access(values);
            place = static_cast<std::remove_reference_t<decltype(place)>>(value);
          }};
}

const std::vector<Spin>& spins() {
  using V = UgiValues;
  static const std::vector<Spin> kSpins = {
      spin(
          "Threads", 1, kMostThreads, UgiChange::Thinking,
          [](V & v) -> auto& { return v.thinking.threads; }),
      spin(
          "MultiPV", 1, kMaxLegalActions, UgiChange::Nothing,
          [](V & v) -> auto& { return v.lines; }),
      spin(
          "Visits", 1, kMaxVisits, UgiChange::Nothing, [](V & v) -> auto& { return v.visits; }),
      spin(
          "MaxNodes", kLeastNodes, kMaxVisits, UgiChange::Thinking,
          [](V & v) -> auto& { return v.thinking.max_nodes; }),
      spin(
          "Hash", 0, kMostCacheMib, UgiChange::Thinking,
          [](V & v) -> auto& { return v.thinking.cache_mib; }),
      spin(
          "MoveOverhead", 0, kMostOverhead, UgiChange::Nothing,
          [](V & v) -> auto& { return v.move_overhead; }),
      spin(
          "Goats", 1, kPointCount - 4, UgiChange::Nothing,
          [](V & v) -> auto& { return v.rules.goats; }),
      spin(
          "CapturesToWin", 1, kPointCount - 4, UgiChange::Nothing,
          [](V & v) -> auto& { return v.rules.captures_to_win; }),
      spin(
          "NoCaptureLimit", 1, kNoLimit, UgiChange::Nothing,
          [](V & v) -> auto& { return v.rules.no_capture_limit; }),
      spin(
          "MaxPlies", 1, kNoLimit, UgiChange::Nothing,
          [](V & v) -> auto& { return v.rules.max_plies; }),
  };
  return kSpins;
}

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The words between `from` and `to`, as written.
std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  const auto words = split_words(text);
  const auto begin = std::ranges::find(words, from);
  if (begin == words.end()) return {};
  const auto end = to.empty() ? words.end() : std::find(begin, words.end(), to);
  if (begin + 1 == end) return {};
  return {(begin + 1)->data(),
          static_cast<std::size_t>((end - 1)->data() + (end - 1)->size() - (begin + 1)->data())};
}

[[noreturn]] void refuse(std::string_view name, std::string_view value, const std::string& wanted) {
  throw std::invalid_argument("option " + std::string(name) + " must be " + wanted + ", not \"" +
                              std::string(value) + "\"");
}

UgiChange set_spin(const Spin& option, std::string_view text, UgiValues& values) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < option.low || value > option.high)
    refuse(
        option.name, text,
        "a whole number from " + std::to_string(option.low) + " to " + std::to_string(option.high));
  UgiValues changed = values;
  option.set(changed, value);
  check_rules(changed.rules);
  values = std::move(changed);
  return option.change;
}

}  // namespace

std::vector<std::string> describe_ugi_options(const UgiValues& defaults) {
  std::vector<std::string> lines = {"option name Model type string default " + defaults.model};
  for (const Spin& option : spins())
    lines.push_back("option name " + std::string(option.name) + " type spin default " +
                    std::to_string(option.get(defaults)) + " min " + std::to_string(option.low) +
                    " max " + std::to_string(option.high));
  lines.push_back(std::string("option name Symmetries type check default ") +
                  (defaults.thinking.symmetries ? "true" : "false"));
  lines.push_back("option name Repetition type combo default " +
                  std::string(to_string(defaults.rules.repetition)) +
                  " var forbidden var threefold var off");
  return lines;
}

UgiChange set_ugi_option(std::string_view text, UgiValues& values) {
  const std::string_view name = between(text, "name", "value");
  const std::string_view value = between(text, "value", "");
  if (name.empty()) throw std::invalid_argument("setoption needs \"name NAME value VALUE\"");
  for (const Spin& option : spins())
    if (equal_without_case(name, option.name)) return set_spin(option, value, values);
  if (equal_without_case(name, "Model")) {
    values.model = value.empty() || value == "<empty>" ? kNoModel : std::string(value);
    return UgiChange::Model;
  }
  if (equal_without_case(name, "Symmetries")) {
    if (value != "true" && value != "false") refuse(name, value, "true or false");
    values.thinking.symmetries = value == "true";
    return UgiChange::Thinking;
  }
  if (equal_without_case(name, "Repetition")) {
    values.rules.repetition = repetition_from_string(value);
    return UgiChange::Nothing;
  }
  throw std::invalid_argument("there is no option \"" + std::string(name) +
                              "\"; \"ugi\" lists those there are");
}

}  // namespace baghzero
