#include "training/run_store_connection.h"

#include <cmath>
#include <stdexcept>

#include "engine/wall_clock.h"
#include "training/ladder_store.h"

namespace baghzero {
namespace {

using sqlite::Access;
using sqlite::Database;
using sqlite::Statement;

// Games after which a transaction is committed by itself.
constexpr int kGamesPerTransaction = 64;
// Tables are only ever added: what an older program has left out is made on resuming.
constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
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
CREATE TABLE IF NOT EXISTS generations (
  number INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  samples INTEGER NOT NULL,
  games INTEGER NOT NULL,
  at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS gates (
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
CREATE TABLE IF NOT EXISTS gate_games (
  gate INTEGER NOT NULL REFERENCES gates (id),
  pair INTEGER NOT NULL,
  candidate_is_tiger INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  termination TEXT NOT NULL,
  game TEXT NOT NULL,
  PRIMARY KEY (gate, pair, candidate_is_tiger)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS matches (
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
CREATE TABLE IF NOT EXISTS metrics (
  name TEXT NOT NULL,
  step INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (name, step)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  level TEXT NOT NULL,
  text TEXT NOT NULL);
)sql";

Access access_for(const std::filesystem::path& file, RunStore::Mode mode) {
  const bool exists = std::filesystem::exists(file);
  if (mode == RunStore::Mode::Create) {
    if (exists && std::filesystem::file_size(file) > 0)
      throw std::runtime_error(file.string() +
                               " exists already: go on with --resume or choose another folder");
    return Access::ReadWrite;
  }
  if (!exists)
    throw std::runtime_error("there is no run database at " + file.string() +
                             ": check the folder of the run");
  return mode == RunStore::Mode::Resume ? Access::ReadWrite : Access::ReadOnly;
}

// Made under another name and renamed: whoever finds the database finds its schema.
void create_database(const std::filesystem::path& file) {
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  for (const char* suffix : {"", "-journal"}) std::filesystem::remove(unfinished.string() + suffix);
  {
    Database database(unfinished, Access::Create);
    database.execute("BEGIN");
    database.execute(kSchema);
    database.prepare("INSERT INTO meta VALUES ('schema_version', ?1)")
        .run(std::to_string(kSchemaVersion));
    database.execute("COMMIT");
  }
  std::filesystem::rename(unfinished, file);
}

// The database at `file`, made first if the mode is Create.
Database opened(const std::filesystem::path& file, RunStore::Mode mode) {
  const Access access = access_for(file, mode);
  if (mode == RunStore::Mode::Create) create_database(file);
  return {file, access};
}

}  // namespace

RunStore::Connection::Connection(const std::filesystem::path& file, Mode mode)
    : file_(file), writable_(mode != Mode::ReadOnly), database_(opened(file, mode)) {
  check_version();
  // In WAL mode a power cut costs the last transactions at most, never the database.
  if (writable_) {
    database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    database_.execute(kSchema);
    create_ladder_tables(database_);
  }
  insert_game_.emplace(
      database_.prepare("INSERT INTO games VALUES (NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9)"));
  insert_metric_.emplace(database_.prepare("INSERT OR REPLACE INTO metrics VALUES (?1, ?2, ?3)"));
}

void RunStore::Connection::begin_write() {
  if (!writable_) throw std::runtime_error(file_.string() + " was opened for reading only");
  if (in_transaction_) return;
  database_.execute("BEGIN IMMEDIATE");
  in_transaction_ = true;
  games_in_transaction_ = 0;
}

void RunStore::Connection::commit() {
  if (!in_transaction_) return;
  database_.execute("COMMIT");
  in_transaction_ = false;
}

std::int64_t RunStore::Connection::insert_game(const GameRecord& record,
                                               std::span<const std::byte> blob, std::int64_t rows) {
  begin_write();
  insert_game_->run(record.first_generation, record.last_generation,
                    static_cast<std::int64_t>(record.seed), to_string(record.outcome),
                    to_string(record.termination), static_cast<int>(record.moves.size()), rows,
                    seconds_since_1970(), blob);
  const std::int64_t id = database_.last_insert_id();
  if (++games_in_transaction_ >= kGamesPerTransaction) commit();
  return id;
}

void RunStore::Connection::insert_metric(std::int64_t step, const std::string& name, double value) {
  if (!std::isfinite(value)) return;  // SQLite has no such number
  begin_write();
  insert_metric_->run(name, step, value);
}

void RunStore::Connection::check_version() {
  std::string version;
  try {
    Statement read = database_.prepare("SELECT value FROM meta WHERE key = 'schema_version'");
    if (read.next()) version = read.text(0);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file_.string() + " is no run database (" + error.what() + ")");
  }
  int number = 0;
  try {
    number = std::stoi(version);
  } catch (const std::logic_error&) {
    throw std::runtime_error(file_.string() + " is no run database: it names no schema version");
  }
  if (number > kSchemaVersion)
    throw std::runtime_error(file_.string() + " has schema version " + version +
                             ", but this program knows versions up to " +
                             std::to_string(kSchemaVersion) + ": use a newer program");
}

}  // namespace baghzero
