#include "training/run_schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace baghzero {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr const char* kFirstVersion = R"sql(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
  id INTEGER PRIMARY KEY,
  first_generation INTEGER NOT NULL,
  last_generation INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  termination TEXT NOT NULL,
  plies INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  at INTEGER NOT NULL,
  record BLOB NOT NULL);
CREATE TABLE generations (
  number INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  samples INTEGER NOT NULL,
  games INTEGER NOT NULL,
  at INTEGER NOT NULL);
CREATE TABLE gates (
  id INTEGER PRIMARY KEY,
  samples INTEGER NOT NULL,
  opponent INTEGER NOT NULL,
  mode TEXT NOT NULL,
  pairs INTEGER NOT NULL,
  score REAL NOT NULL,
  score_as_goat REAL NOT NULL,
  score_as_tiger REAL NOT NULL,
  llr REAL NOT NULL,
  promoted INTEGER,
  verdict TEXT,
  candidate_file TEXT NOT NULL,
  at INTEGER NOT NULL);
CREATE TABLE gate_games (
  gate INTEGER NOT NULL REFERENCES gates (id),
  pair INTEGER NOT NULL,
  candidate_is_tiger INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  termination TEXT NOT NULL,
  game TEXT NOT NULL,
  PRIMARY KEY (gate, pair, candidate_is_tiger)) WITHOUT ROWID;
CREATE TABLE matches (
  id INTEGER PRIMARY KEY,
  first TEXT NOT NULL,
  second TEXT NOT NULL,
  pairs INTEGER NOT NULL,
  wins INTEGER NOT NULL,
  draws INTEGER NOT NULL,
  losses INTEGER NOT NULL,
  score REAL NOT NULL,
  score_as_goat REAL NOT NULL,
  score_as_tiger REAL NOT NULL,
  at INTEGER NOT NULL);
CREATE TABLE metrics (
  name TEXT NOT NULL,
  step INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (name, step)) WITHOUT ROWID;
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  level TEXT NOT NULL,
  text TEXT NOT NULL);
)sql";

// Some programs that wrote version 1 made these tables when they needed them.
constexpr const char* kSecondVersion = R"sql(
CREATE TABLE IF NOT EXISTS suite_results (
  generation INTEGER NOT NULL,
  suite TEXT NOT NULL,
  visits INTEGER NOT NULL,
  role TEXT NOT NULL,
  phase TEXT NOT NULL,
  positions INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  valued INTEGER NOT NULL,
  value_right INTEGER NOT NULL,
  cross_entropy REAL NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (generation, suite, visits, role, phase)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ladder_games (
  rules TEXT NOT NULL,
  goat TEXT NOT NULL,
  tiger TEXT NOT NULL,
  goat_wins INTEGER NOT NULL,
  draws INTEGER NOT NULL,
  tiger_wins INTEGER NOT NULL,
  PRIMARY KEY (rules, goat, tiger)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ladder_ratings (
  ladder INTEGER NOT NULL,
  at INTEGER NOT NULL,
  rules TEXT NOT NULL,
  anchor TEXT NOT NULL,
  player TEXT NOT NULL,
  games INTEGER NOT NULL,
  elo REAL NOT NULL,
  elo_error REAL NOT NULL,
  as_goat REAL NOT NULL,
  as_goat_error REAL NOT NULL,
  as_tiger REAL NOT NULL,
  as_tiger_error REAL NOT NULL,
  PRIMARY KEY (ladder, player)) WITHOUT ROWID;
)sql";

// The i-th makes version i + 1 of the one before. Never changed once released: a new version gets a
// new one.
constexpr std::array kMigrations = {kFirstVersion, kSecondVersion};
static_assert(kMigrations.size() == kSchemaVersion);

// 0: the database is empty, or names no version.
int stored_version(Database& database) {
  Statement any = database.prepare("SELECT 1 FROM sqlite_master LIMIT 1");
  if (!any.next()) return 0;
  any.rewind();
  Statement read = database.prepare("SELECT value FROM meta WHERE key = 'schema_version'");
  if (!read.next()) return 0;
  const std::string text = read.text(0);
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc{} && end == text.data() + text.size() ? version : 0;
}

std::vector<std::string> first_column(Statement read) {
  std::vector<std::string> values;
  while (read.next()) values.push_back(read.text(0));
  return values;
}

std::vector<std::string> columns(Database& database, const std::string& table) {
  Statement read = database.prepare("SELECT name FROM pragma_table_info(?1)");
  read.start(table);
  return first_column(std::move(read));
}

}  // namespace

int schema_version(Database& database, const std::filesystem::path& file) {
  int version = 0;
  try {
    version = stored_version(database);
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + " is no run database (" + error.what() + ")");
  }
  if (version < 1)
    throw std::runtime_error(file.string() + " is no run database: it names no schema version");
  if (version > kSchemaVersion)
    throw std::runtime_error(file.string() + " has schema version " + std::to_string(version) +
                             ", but this program knows versions up to " +
                             std::to_string(kSchemaVersion) + ": use a newer program");
  return version;
}

void migrate(Database& database, int version) {
  if (stored_version(database) >= version) return;
  database.execute("BEGIN IMMEDIATE");
  // Another process may have done it since.
  const int before = stored_version(database);
  for (int next = before; next < version; ++next)
    database.execute(kMigrations[static_cast<std::size_t>(next)]);
  database.prepare("INSERT OR REPLACE INTO meta VALUES ('schema_version', ?1)")
      .run(std::to_string(std::max(before, version)));
  database.execute("COMMIT");
}

std::vector<std::string> schema_faults(Database& database, int version) {
  Database whole(":memory:", sqlite::Access::Create);
  migrate(whole, version);
  std::vector<std::string> faults;
  for (const std::string& table :
       first_column(whole.prepare("SELECT name FROM sqlite_master WHERE type = 'table'"))) {
    const std::vector<std::string> found = columns(database, table);
    if (found.empty())
      faults.push_back("the table " + table);
    else if (found != columns(whole, table))
      faults.push_back("columns of the table " + table);
  }
  return faults;
}

}  // namespace baghzero
