// The tables of a run's database (see run_store.h for what they hold), and how the database of an
// older program becomes one of today.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "training/sqlite.h"

namespace baghzero {

// Version 1: the first. Version 2: suite_results, ladder_games, ladder_ratings.
inline constexpr int kSchemaVersion = 2;

// The version of the schema in `database`, which is that of `file`. Throws std::runtime_error if it
// is no run database, or one of a newer program.
int schema_version(sqlite::Database& database, const std::filesystem::path& file);
// Brings an empty database or one of an older version to `version`, in one transaction. Does
// nothing to one that has it already.
void migrate(sqlite::Database& database, int version = kSchemaVersion);
// What `database` lacks of the schema of its version, such as "the table games"; nothing if it is
// whole.
std::vector<std::string> schema_faults(sqlite::Database& database, int version);

}  // namespace baghzero
