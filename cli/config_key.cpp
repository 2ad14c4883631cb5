#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "cli/config_table.h"

namespace baghzero {
namespace {

constexpr std::array<std::string_view, 3> kRepetitionNames = {"forbidden", "threefold", "off"};
constexpr std::array<std::string_view, 2> kRootPolicyNames = {"puct", "gumbel"};
constexpr std::array<std::string_view, 3> kPrecisionNames = {"auto", "fp32", "bf16"};
constexpr std::array<std::string_view, 2> kScheduleNames = {"alternate", "overlap"};
constexpr std::array<std::string_view, 2> kAdjudicateNames = {"none", "solver"};
constexpr std::array<std::string_view, 2> kOptimizerNames = {"adamw", "sgd"};

std::span<const std::string_view> names(Repetition /*of*/) { return kRepetitionNames; }
std::span<const std::string_view> names(RootPolicy /*of*/) { return kRootPolicyNames; }
std::span<const std::string_view> names(Precision /*of*/) { return kPrecisionNames; }
std::span<const std::string_view> names(Schedule /*of*/) { return kScheduleNames; }
std::span<const std::string_view> names(OptimizerKind /*of*/) { return kOptimizerNames; }
std::span<const std::string_view> names(Adjudicate /*of*/) { return kAdjudicateNames; }
std::span<const std::string_view> names(GateMode /*of*/) { return kGateModeNames; }

// A field of a default configuration, for questions about its type.
ConfigField sample_field(const ConfigKey& key) {
  static RunConfig sample;
  return key.field(sample);
}

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class Real>
std::string format_real(Real value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  std::string result(text.data(), end);
  if (result.find_first_of(".en") == std::string::npos) result += ".0";
  return result;
}

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7f) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04X", code);
      result += escaped.data();
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string format_bound(const ConfigKey& key, double bound) {
  if (key.type() == ConfigType::Integer) return std::to_string(static_cast<std::int64_t>(bound));
  std::string text = format_real(bound);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string show(const ConfigValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) return v ? "true" : "false";
        if constexpr (std::is_same_v<T, std::int64_t>) return std::to_string(v);
        if constexpr (std::is_same_v<T, double>) return format_real(v);
        if constexpr (std::is_same_v<T, std::string>) return quote(v);
      },
      value);
}

[[noreturn]] void refuse(const ConfigKey& key, const ConfigValue& value) {
  throw std::invalid_argument(key.full_name() + " is " + show(value) + ", but must be " +
                              describe_allowed(key));
}

void check_range(const ConfigKey& key, const ConfigValue& value, double number) {
  // Written so that NaN is refused too.
  if (!(number >= key.range.low && number <= key.range.high)) refuse(key, value);
}

template <class T>
void assign_to(const ConfigKey& key, T& field, const ConfigValue& value) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto* flag = std::get_if<bool>(&value);
    if (flag == nullptr) refuse(key, value);
    field = *flag;
  } else if constexpr (kIsInteger<T>) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (integer == nullptr) refuse(key, value);
    check_range(key, value, static_cast<double>(*integer));
    field = static_cast<T>(*integer);
  } else if constexpr (std::is_floating_point_v<T>) {
    double number = std::numeric_limits<double>::quiet_NaN();
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      number = static_cast<double>(*integer);
    check_range(key, value, number);
    field = static_cast<T>(number);
  } else if constexpr (std::is_same_v<T, std::string>) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || !key.accepts_text(*text)) refuse(key, value);
    field = *text;
  } else {
    const auto* name = std::get_if<std::string>(&value);
    const auto known = names(T{});
    const auto found = name == nullptr ? known.end() : std::find(known.begin(), known.end(), *name);
    if (found == known.end()) refuse(key, value);
    field = static_cast<T>(found - known.begin());
  }
}

template <class T>
ConfigValue read_from(const T& field) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>)
    return field;
  else if constexpr (kIsInteger<T>)
    return static_cast<std::int64_t>(field);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(field);
  else
    return std::string(names(field)[static_cast<std::size_t>(field)]);
}

}  // namespace

std::string_view to_string(ConfigType type) {
  constexpr std::array<std::string_view, 5> kNames = {"boolean", "integer", "number", "text",
                                                      "choice"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string ConfigKey::full_name() const { return std::string(section) + "." + std::string(name); }

ConfigType ConfigKey::type() const {
  return std::visit(
      [](const auto* member) {
        using T = std::remove_cvref_t<decltype(*member)>;
        if constexpr (std::is_same_v<T, bool>) return ConfigType::Boolean;
        if constexpr (kIsInteger<T>) return ConfigType::Integer;
        if constexpr (std::is_floating_point_v<T>) return ConfigType::Number;
        if constexpr (std::is_same_v<T, std::string>) return ConfigType::Text;
        return ConfigType::Choice;
      },
      sample_field(*this));
}

std::span<const std::string_view> ConfigKey::choices() const {
  return std::visit(
      [](const auto* member) -> std::span<const std::string_view> {
        if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(*member)>>)
          return names(*member);
        else
          return {};
      },
      sample_field(*this));
}

ConfigScope ConfigKey::scope() const {
  const std::string full = full_name();
  // The saved moments are of one optimizer.
  const bool fixed = section == "rules" || section == "network" || full == "run.seed" ||
                     full == "training.optimizer";
  return fixed ? ConfigScope::Fixed : ConfigScope::Run;
}

const ConfigKey* find_config_key(std::string_view full_name) {
  for (const ConfigKey& key : config_table())
    if (key.full_name() == full_name) return &key;
  return nullptr;
}

std::string describe_allowed(const ConfigKey& key) {
  switch (key.type()) {
    case ConfigType::Boolean:
      return "true or false";
    case ConfigType::Text:
      return std::string(key.pattern);
    case ConfigType::Choice: {
      std::string text = "one of ";
      for (const std::string_view choice : key.choices())
        text += (choice == key.choices().front() ? "" : ", ") + quote(choice);
      return text;
    }
    case ConfigType::Integer:
    case ConfigType::Number:
      break;
  }
  std::string text = key.type() == ConfigType::Integer ? "an integer" : "a number";
  text += " from " + format_bound(key, key.range.low) + " to " + format_bound(key, key.range.high);
  if (!key.unit.empty()) text += " (" + std::string(key.unit) + ")";
  return text;
}

void assign(const ConfigKey& key, RunConfig& config, const ConfigValue& value) {
  std::visit([&](auto* field) { assign_to(key, *field, value); }, key.field(config));
}

ConfigValue value_of(const ConfigKey& key, const RunConfig& config) {
  RunConfig copy = config;
  return std::visit([](const auto* field) { return read_from(*field); }, key.field(copy));
}

std::string format_value(const ConfigKey& key, const RunConfig& config) {
  RunConfig copy = config;
  // A float is written with the digits a float needs, not with those of the equal double.
  if (const auto field = key.field(copy); std::holds_alternative<float*>(field))
    return format_real(*std::get<float*>(field));
  return show(value_of(key, config));
}

}  // namespace baghzero
