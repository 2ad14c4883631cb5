#include "cli/config_listing.h"

#include <nlohmann/json.hpp>

#include "cli/config_table.h"

namespace baghzero {
namespace {

constexpr std::size_t kTextColumns = 96;

// `text` broken at blanks into lines that begin with `indent`.
std::string wrap(std::string_view text, const std::string& indent) {
  std::string result;
  std::string line = indent;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kTextColumns) {
      result.append(line).append("\n");
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += word;
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return result.append(line).append("\n");
}

std::string allowed_column(const ConfigKey& key) {
  std::string text = describe_allowed(key);
  if (key.unit.empty()) return text;
  const std::string unit = " (" + std::string(key.unit) + ")";
  if (text.ends_with(unit)) text.resize(text.size() - unit.size());
  return text;
}

std::string key_as_text(const ConfigKey& key, const RunConfig& config, const RunConfig& defaults) {
  const std::string value = format_value(key, config);
  const std::string standard = format_value(key, defaults);
  std::string text = "  ";
  text.append(key.name).append(" = ").append(value);
  if (value != standard) text.append("   (default ").append(standard).append(")");
  text.append("\n").append(wrap(key.help, "      "));
  std::string facts = describe_allowed(key);
  if (!key.source.empty()) facts.append("; ").append(key.source);
  return text.append(wrap(facts, "      "));
}

nlohmann::json to_json(const ConfigValue& value) {
  return std::visit([](const auto& v) { return nlohmann::json(v); }, value);
}

}  // namespace

std::string config_as_text(const RunConfig& config) {
  std::string text;
  for (const ConfigSection& section : config_sections()) {
    if (!text.empty()) text += "\n";
    text += config_part_as_text(config, section.name);
  }
  return text;
}

std::string config_part_as_text(const RunConfig& config, std::string_view name) {
  const RunConfig defaults;
  for (const ConfigSection& section : config_sections()) {
    std::string keys;
    for (const ConfigKey& key : config_table())
      if (key.section == section.name && (name == section.name || name == key.full_name()))
        keys += key_as_text(key, config, defaults);
    if (keys.empty()) continue;
    std::string text = "[";
    return text.append(section.name).append("]  ").append(section.help).append("\n").append(keys);
  }
  return "";
}

std::string config_as_markdown() {
  const RunConfig defaults;
  std::string text =
      "# Configuration\n\n"
      "Every key of a run's TOML file, written by `baghzero config --markdown`. A key that a file "
      "leaves out has its default; `--set section.key=value` overrides the file. Unknown keys and "
      "values out of range are errors. `[rules]`, `[network]` and `run.seed` stay as they are once "
      "a run has begun.\n";
  for (const ConfigSection& section : config_sections()) {
    text.append("\n## [").append(section.name).append("]: ").append(section.help).append("\n\n");
    text += "| key | default | allowed | unit | meaning | source |\n|---|---|---|---|---|---|\n";
    for (const ConfigKey& key : config_table()) {
      if (key.section != section.name) continue;
      text.append("| `").append(key.name).append("` | `").append(format_value(key, defaults));
      text.append("` | ").append(allowed_column(key)).append(" | ").append(key.unit);
      text.append(" | ").append(key.help).append(" | ").append(key.source).append(" |\n");
    }
  }
  return text;
}

std::string config_as_json(const RunConfig& config) {
  const RunConfig defaults;
  auto list = nlohmann::ordered_json::array();
  for (const ConfigKey& key : config_table()) {
    nlohmann::ordered_json entry = {{"key", key.full_name()},
                                    {"type", to_string(key.type())},
                                    {"default", to_json(value_of(key, defaults))},
                                    {"value", to_json(value_of(key, config))},
                                    {"unit", key.unit},
                                    {"help", key.help},
                                    {"source", key.source},
                                    {"fixed_for_a_run", key.scope() == ConfigScope::Fixed}};
    if (key.type() == ConfigType::Integer || key.type() == ConfigType::Number) {
      entry["low"] = key.range.low;
      entry["high"] = key.range.high;
    }
    if (key.type() == ConfigType::Choice) entry["choices"] = key.choices();
    list.push_back(std::move(entry));
  }
  return list.dump(2) + "\n";
}

}  // namespace baghzero
