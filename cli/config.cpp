#include "cli/config.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

#include <toml++/toml.h>

#include "cli/command_name.h"
#include "cli/config_table.h"
#include "engine/text.h"
#include "training/run_store.h"

namespace baghzero {
namespace {

// Line of every key that a file sets, for messages about keys that contradict each other.
using KeyLines = std::map<std::string, int, std::less<>>;

[[noreturn]] void fail(const std::string& name, int line, const std::string& what) {
  throw ConfigError(name + ":" + std::to_string(line) + ": " + what);
}

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const ConfigSection& section : config_sections()) names.emplace_back(section.name);
  return names;
}

// The key that "section.name" was meant to be: near in the same section, the same name elsewhere,
// or near anywhere.
std::string nearest_key(std::string_view section, std::string_view name) {
  std::vector<std::string> same_section;
  std::vector<std::string> everywhere;
  for (const ConfigKey& key : config_table()) {
    if (key.section == section) same_section.emplace_back(key.name);
    everywhere.emplace_back(key.name);
  }
  if (const std::string near = nearest_name(name, same_section); !near.empty())
    return std::string(section).append(".").append(near);
  const std::string near = nearest_name(name, everywhere);
  for (const ConfigKey& key : config_table())
    if (key.name == near) return key.full_name();
  return "";
}

std::string unknown_key(std::string_view section, std::string_view name) {
  const std::string near = nearest_key(section, name);
  std::string text = "unknown key \"";
  if (!section.empty()) text.append(section).append(".");
  text.append(name).append("\"; ");
  if (near.empty())
    return text.append("`").append(command_name()).append(" config` lists all keys");
  return text.append("did you mean \"").append(near).append("\"?");
}

std::string unknown_section(std::string_view section) {
  const auto names = section_names();
  const std::string near = nearest_name(section, names);
  std::string text = "unknown section [";
  text.append(section).append("]; ");
  if (!near.empty()) return text.append("did you mean [").append(near).append("]?");
  text += "known are ";
  for (const std::string& name : names)
    text.append(name == names.front() ? "[" : ", [").append(name).append("]");
  return text;
}

ConfigValue to_value(const ConfigKey& key, const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* text = node.as_string()) return text->get();
  throw std::invalid_argument(key.full_name() + " is neither a number, a text nor true or false, " +
                              "but must be " + describe_allowed(key));
}

// Message and line of the first fault, so that what is reported does not depend on the order in
// which the parser keeps its tables.
struct Faults {
  int line = 0;
  std::string what;
  void add(int at, const std::string& text) {
    if (!what.empty() && at >= line) return;
    line = at;
    what = text;
  }
};

void read_section(const toml::table& table, std::string_view section, RunConfig& config,
                  KeyLines& lines, Faults& faults) {
  for (const auto& [name, node] : table) {
    const auto line = static_cast<int>(name.source().begin.line);
    const std::string full = std::string(section) + "." + std::string(name.str());
    const ConfigKey* key = find_config_key(full);
    if (key == nullptr) {
      faults.add(line, unknown_key(section, name.str()));
      continue;
    }
    try {
      assign(*key, config, to_value(*key, node));
      lines[full] = line;
    } catch (const std::invalid_argument& error) {
      faults.add(line, error.what());
    }
  }
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, std::string_view(name));
  } catch (const toml::parse_error& error) {
    fail(name, static_cast<int>(error.source().begin.line), std::string(error.description()));
  }
}

// A demand on several keys together.
struct CrossCheck {
  std::vector<std::string> keys;
  bool holds;
  std::string demand;
};

std::vector<CrossCheck> cross_checks(const RunConfig& config) {
  const auto& [rules, network, inference, selfplay, training, gate, evaluation, run, solver] =
      config;
  return {
      {{"rules.captures_to_win", "rules.goats"},
       rules.captures_to_win <= rules.goats,
       "rules.captures_to_win must not be larger than rules.goats"},
      {{"network.squeeze_channels", "network.channels"},
       network.squeeze_channels <= network.channels,
       "network.squeeze_channels must not be larger than network.channels"},
      {{"selfplay.cheap_visits", "selfplay.full_visits"},
       selfplay.cheap_visits <= selfplay.full_visits,
       "selfplay.cheap_visits must not be larger than selfplay.full_visits"},
      {{"selfplay.temperature_end", "selfplay.temperature_start"},
       selfplay.temperature_end <= selfplay.temperature_start,
       "selfplay.temperature_end must not be larger than selfplay.temperature_start"},
      {{"search.max_nodes", "selfplay.full_visits"},
       selfplay.search.max_nodes >= static_cast<std::uint32_t>(selfplay.full_visits),
       "search.max_nodes must hold at least selfplay.full_visits nodes"},
      {{"training.window_min_rows", "training.window_max_rows"},
       training.window_min_rows <= training.window_max_rows,
       "training.window_min_rows must not be larger than training.window_max_rows"},
      {{"training.batch", "training.window_min_rows"},
       training.batch <= training.window_min_rows,
       "training.batch must not be larger than training.window_min_rows"},
      {{"gate.elo1", "gate.elo0"},
       gate.elo0 < gate.elo1,
       "gate.elo1 must be larger than gate.elo0"},
      {{"run.reproducible", "training.schedule"},
       !run.reproducible || training.schedule == Schedule::Alternate,
       "run.reproducible needs training.schedule = \"alternate\""},
      {{"run.reproducible", "selfplay.workers"},
       !run.reproducible || selfplay.workers <= 1,
       "run.reproducible needs selfplay.workers = 1 (or 0)"},
  };
}

std::string describe_values(const std::vector<std::string>& keys, const RunConfig& config) {
  std::string text;
  for (const std::string& name : keys)
    text.append(text.empty() ? "" : ", ")
        .append(name)
        .append(" = ")
        .append(format_value(*find_config_key(name), config));
  return text;
}

std::string describe(const CrossCheck& check, const RunConfig& config) {
  return check.demand + ", but " + describe_values(check.keys, config);
}

// Where a message about values that contradict each other points to: the last line that sets a key
// which it names; the first line if only defaults are involved.
int last_line_named(std::string_view message, const KeyLines& lines) {
  int last = 1;
  for (const auto& [key, line] : lines) {
    const auto at = message.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = message.substr(at + key.size());
    const bool whole = rest.empty() || (rest.front() != '_' && std::isalnum(rest.front()) == 0);
    if (whole) last = std::max(last, line);
  }
  return last;
}

// ", or did you mean the key training.batch?" if a file's name looks like one.
std::string key_meant(const std::string& file) {
  const auto dot = file.find('.');
  if (dot == std::string::npos || file.ends_with(".toml")) return "";
  const std::string near = nearest_key(file.substr(0, dot), file.substr(dot + 1));
  return near.empty() ? "" : ", or did you mean the key " + near + "?";
}

// ", such as configs/a.toml, configs/b.toml", or nothing if there are none.
std::string configurations_in(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  std::ranges::sort(files);
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, files.size()); ++i)
    text.append(i == 0 ? ", such as " : ", ").append(files[i]);
  return text;
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  // To copy nothing is a failure for streams, but an empty file is one that leaves all defaults.
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (std::filesystem::is_directory(file))
    throw ConfigError(file.string() + " is a folder; name one configuration file" +
                      configurations_in(file));
  if (stream.fail() || text.fail())
    throw ConfigError("cannot read the configuration file " + file.string() +
                      "; the presets are in configs/" + key_meant(file.string()));
  return text.str();
}

void apply_override(RunConfig& config, std::string_view text) {
  const auto equals = text.find('=');
  const auto dot = text.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals)
    throw std::invalid_argument("expected section.key=value");
  const std::string_view section = text.substr(0, dot);
  const std::string_view name = text.substr(dot + 1, equals - dot - 1);
  const std::string value(text.substr(equals + 1));
  const ConfigKey* key = find_config_key(text.substr(0, equals));
  if (key == nullptr) {
    const auto sections = section_names();
    const bool known = std::find(sections.begin(), sections.end(), section) != sections.end();
    throw std::invalid_argument(known || !nearest_key("", name).empty() ? unknown_key(section, name)
                                                                        : unknown_section(section));
  }
  // Names and texts may be given without quotes, as shells eat them.
  const bool bare = (key->type() == ConfigType::Text || key->type() == ConfigType::Choice) &&
                    !value.starts_with('"');
  if (bare) return assign(*key, config, value);
  toml::table table;
  try {
    table = toml::parse("value = " + value);
  } catch (const toml::parse_error&) {
    table.clear();
  }
  // What is no single value is refused as the text it is.
  if (table.size() != 1) return assign(*key, config, value);
  assign(*key, config, to_value(*key, *table.get("value")));
}

}  // namespace

RunConfig parse_config(std::string_view text, const std::string& name) {
  const toml::table root = parse_toml(text, name);
  RunConfig config;
  KeyLines lines;
  Faults faults;
  const auto sections = section_names();
  for (const auto& [key, node] : root) {
    const auto line = static_cast<int>(key.source().begin.line);
    const std::string section(key.str());
    if (const toml::table* table = node.as_table()) {
      if (std::find(sections.begin(), sections.end(), section) == sections.end())
        faults.add(line, unknown_section(section));
      else
        read_section(*table, section, config, lines, faults);
    } else if (std::find(sections.begin(), sections.end(), section) != sections.end()) {
      faults.add(line, section + " is a section; write [" + section + "] and its keys below it");
    } else {
      faults.add(line, unknown_key("", section));
    }
  }
  if (!faults.what.empty()) fail(name, faults.line, faults.what);
  try {
    check_config(config);
  } catch (const ConfigError& error) {
    fail(name, last_line_named(error.what(), lines), error.what());
  }
  return config;
}

RunConfig load_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  RunConfig config = parse_config(read_file(file), file.string());
  apply_overrides(config, overrides);
  return config;
}

RunConfig load_run_config(const RunFolder& run, std::span<const std::string> overrides) {
  RunConfig config;
  try {
    const std::filesystem::path file = run.config();
    if (!std::filesystem::exists(file)) throw ConfigError(file.string() + " is missing");
    config = parse_config(read_file(file), file.string());
    if (const auto trained = load_trained_config(run)) config = *trained;
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(error.what()) +
                      " (the stored configuration of the run; a copy is in its database: sqlite3 "
                      "-readonly " +
                      shell_word(run.database()) +
                      " \"SELECT value FROM meta WHERE key = 'configuration'\")");
  }
  apply_overrides(config, overrides);
  return config;
}

std::optional<RunConfig> load_trained_config(const RunFolder& run) {
  const RunStore store(run.database(), RunStore::Mode::ReadOnly);
  const std::optional<std::string> toml = store.meta("configuration");
  if (!toml) return std::nullopt;
  return parse_config(*toml, run.database().string() + ", configuration");
}

RunConfig load_config_or_defaults(const std::filesystem::path& file,
                                  std::span<const std::string> overrides) {
  if (!file.empty()) return load_config(file, overrides);
  RunConfig config;
  apply_overrides(config, overrides);
  return config;
}

void apply_overrides(RunConfig& config, std::span<const std::string> overrides) {
  for (const std::string& text : overrides) {
    try {
      apply_override(config, text);
    } catch (const std::invalid_argument& error) {
      throw ConfigError(std::string("--set ").append(text).append(": ").append(error.what()));
    }
  }
  try {
    static_cast<void>(toml::parse(to_toml(config)));
  } catch (const toml::parse_error&) {
    throw ConfigError("after --set: a value holds bytes that are no UTF-8, which TOML cannot hold");
  }
  try {
    check_config(config);
  } catch (const ConfigError& error) {
    if (overrides.empty()) throw;
    throw ConfigError(std::string("after --set: ") + error.what());
  }
}

void check_config(const RunConfig& config) {
  for (const CrossCheck& check : cross_checks(config))
    if (!check.holds) throw ConfigError(describe(check, config));
  try {
    check_self_play_settings(config.selfplay);
    check_run(config);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(error.what());
  }
}

std::string to_toml(const RunConfig& config, bool documented) {
  std::string text;
  for (const ConfigSection& section : config_sections()) {
    if (!text.empty()) text += "\n";
    text += "[" + std::string(section.name) + "]";
    if (documented) text += "  # " + std::string(section.help);
    text += "\n";
    for (const ConfigKey& key : config_table()) {
      if (key.section != section.name) continue;
      if (documented)
        text += "\n# " + std::string(key.help) + "\n# " + describe_allowed(key) + "\n";
      text += std::string(key.name) + " = " + format_value(key, config) + "\n";
    }
  }
  return text;
}

std::vector<std::string> differing_keys(const RunConfig& first, const RunConfig& second) {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_table())
    if (value_of(key, first) != value_of(key, second)) names.push_back(key.full_name());
  return names;
}

}  // namespace baghzero
