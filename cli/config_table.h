// The one table of configuration keys. Each key is defined once, in config_table.cpp; parsing,
// checks, listings, the resolved configuration and the documentation all come from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "training/run_config.h"

namespace baghzero {

// The member of a RunConfig that a key sets.
using ConfigField = std::variant<bool*, int*, std::uint32_t*, std::int64_t*, std::uint64_t*, float*,
                                 double*, std::string*, Repetition*, RootPolicy*, Precision*,
                                 Schedule*, OptimizerKind*, GateMode*, Adjudicate*>;

enum class ConfigType : std::uint8_t { Boolean, Integer, Number, Text, Choice };
std::string_view to_string(ConfigType type);  // "boolean", "integer", …

// A value as read from TOML or from the command line.
using ConfigValue = std::variant<bool, std::int64_t, double, std::string>;

// Inclusive bounds of integers and numbers.
struct ConfigRange {
  double low = 0;
  double high = 0;
};

// What a run that has begun allows to be changed when it is resumed.
enum class ConfigScope : std::uint8_t {
  Run,    // any resume may change it
  Fixed,  // part of what the games and weights of the run mean
};

struct ConfigKey {
  std::string_view section;
  std::string_view name;
  std::function<ConfigField(RunConfig&)> field;
  ConfigRange range;              // Integer and Number
  std::string_view unit;          // "" where there is none
  std::string_view help;          // one or two sentences
  std::string_view source;        // where the default or the idea comes from; "" if ours
  std::string_view pattern = {};  // Text: names the accepted forms, checked by accepts_text
  bool (*accepts_text)(std::string_view) = nullptr;

  std::string full_name() const;  // "section.name"
  ConfigType type() const;
  std::span<const std::string_view> choices() const;  // Choice: accepted names, in enum order
  ConfigScope scope() const;
};

// All keys, grouped by section in the order in which they are documented.
std::span<const ConfigKey> config_table();
// Section names in order, and what each is about.
struct ConfigSection {
  std::string_view name;
  std::string_view help;
};
std::span<const ConfigSection> config_sections();
// The key of that full name, or null.
const ConfigKey* find_config_key(std::string_view full_name);

// "an integer from 8 to 65536 (rows)", "one of "alternate", "overlap"": the end of a sentence.
std::string describe_allowed(const ConfigKey& key);

// Stores `value`. Throws std::invalid_argument ("training.batch is 4, but must be …") on a wrong
// type or a value out of range.
void assign(const ConfigKey& key, RunConfig& config, const ConfigValue& value);
ConfigValue value_of(const ConfigKey& key, const RunConfig& config);
// The value as a TOML literal that reads back to exactly the same value.
std::string format_value(const ConfigKey& key, const RunConfig& config);

}  // namespace baghzero
