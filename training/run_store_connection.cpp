#include "training/run_store_connection.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <sys/stat.h>

#include "engine/wall_clock.h"
#include "training/run_schema.h"

namespace baghzero {
namespace {

using sqlite::Access;
using sqlite::Database;

// Games after which a transaction is committed by itself.
constexpr int kGamesPerTransaction = 64;

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
    migrate(database);
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
  int version = schema_version(database_, file);
  if (writable_) {
    // A power cut costs what was committed since the last commit_durably() at most.
    database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    migrate(database_);
    version = kSchemaVersion;
  }
  const std::vector<std::string> faults = schema_faults(database_, version);
  if (!faults.empty())
    throw std::runtime_error(file.string() + " lacks " + faults.front() +
                             ": it is damaged; restore a copy or begin a new run");
  if (!writable_) return;
  insert_game_.emplace(
      database_.prepare("INSERT INTO games VALUES (NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9)"));
  insert_metric_.emplace(database_.prepare("INSERT OR REPLACE INTO metrics VALUES (?1, ?2, ?3)"));
  log_id_ = log_id();
}

RunStore::Connection::FileId RunStore::Connection::log_id() const {
  struct stat status {};
  if (::stat((file_.string() + "-wal").c_str(), &status) != 0) return std::nullopt;
  return std::pair<std::uint64_t, std::uint64_t>(status.st_dev, status.st_ino);
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

void RunStore::Connection::commit_durably() {
  commit();
  if (!writable_) return;
  // A commit with this setting syncs the whole log, and with it what was committed before.
  database_.execute("PRAGMA synchronous = FULL");
  prepare("INSERT OR REPLACE INTO meta VALUES ('synced_at', ?1)")
      .run(std::to_string(seconds_since_1970()));
  database_.execute("PRAGMA synchronous = NORMAL");
}

void RunStore::Connection::require_in_place() {
  // SQLite keeps the log for as long as this connection lives; what is committed to one that
  // somebody has deleted is gone with the process.
  const FileId log = log_id();
  if (!log_id_) log_id_ = log;
  if (!database_.has_moved() && log == log_id_) return;
  commit();
  std::filesystem::path copy = file_;
  copy += ".rescued";
  const std::string what =
      file_.string() + " or its log (-wal) was moved, deleted or replaced while it was in use; ";
  try {
    std::filesystem::remove(copy);
    prepare("VACUUM INTO ?1").run(copy.string());
  } catch (const std::exception& fault) {
    throw std::runtime_error(what + "a copy of what it held cannot be written (" + fault.what() +
                             "): bring it back, or begin a new run");
  }
  throw std::runtime_error(
      what + "all that it held is in " + copy.string() +
      ": delete what there is of run.sqlite, run.sqlite-wal and run.sqlite-shm, give the copy "
      "the name run.sqlite and go on with --resume");
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

}  // namespace baghzero
