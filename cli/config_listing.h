// Listings of all configuration keys, generated from the table.
#pragma once

#include <string>

#include "training/run_config.h"

namespace baghzero {

// For the terminal: one block per section, keys with type, range, default, unit, help and source;
// where `config` differs from the default, both values.
std::string config_as_text(const RunConfig& config);
// The part of it about one section, or about one key ("section.key"); empty if there is none of
// that name.
std::string config_part_as_text(const RunConfig& config, std::string_view name);
// Tables for the documentation.
std::string config_as_markdown();
// An array of objects with everything the table knows, and the value in `config`.
std::string config_as_json(const RunConfig& config);

}  // namespace baghzero
