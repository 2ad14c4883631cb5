// Reading, checking and writing the configuration of a run (TOML).
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "training/run_config.h"
#include "training/run_folder.h"

namespace baghzero {

// What is wrong with a configuration, where, and what is allowed: one sentence.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads TOML over the defaults, strictly: an unknown section or key, a wrong type, a value out of
// range or values that contradict each other throw ConfigError, which begins with "NAME:LINE: ".
RunConfig parse_config(std::string_view toml, const std::string& name);
// parse_config of a file; then `overrides`, each "section.key=value". ConfigError also if the file
// cannot be read, and with "--set section.key=value: " in front if an override is at fault.
RunConfig load_config(const std::filesystem::path& file,
                      std::span<const std::string> overrides = {});
// The configuration that is stored with a run: as its database tells it, or else run.toml, which
// must be whole in any case. ConfigError says which file it is, and where a copy of it is.
RunConfig load_run_config(const RunFolder& run, std::span<const std::string> overrides = {});
// What the run was trained with last, as its database tells it; nothing if it does not. Throws
// ConfigError naming the database if that cannot be understood, and as RunStore does.
std::optional<RunConfig> load_trained_config(const RunFolder& run);
// load_config, or the defaults with `overrides` if `file` is empty.
RunConfig load_config_or_defaults(const std::filesystem::path& file,
                                  std::span<const std::string> overrides);
// The same checks on an existing configuration.
void apply_overrides(RunConfig& config, std::span<const std::string> overrides);

// Checks between keys (e.g. gate.elo0 < gate.elo1). Throws ConfigError naming the keys.
void check_config(const RunConfig& config);

// The whole configuration as TOML. Reading it back gives an equal configuration. `documented` adds
// help, range and unit above each key.
std::string to_toml(const RunConfig& config, bool documented = false);

// Full names of the keys that differ.
std::vector<std::string> differing_keys(const RunConfig& first, const RunConfig& second);

}  // namespace baghzero
