// The connection of a RunStore to its database and the transaction. For
// run_store.cpp alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "training/run_store.h"
#include "training/sqlite.h"

namespace baghzero {

// The database, its lock, the open transaction and the statements that are used often. Callers hold
// the lock.
class RunStore::Connection {
 public:
  Connection(const std::filesystem::path& file, Mode mode);

  std::mutex& mutex() { return mutex_; }
  sqlite::Database& database() { return database_; }
  const std::filesystem::path& file() const { return file_; }
  sqlite::Statement prepare(std::string_view sql) { return database_.prepare(sql); }

  // Begins a transaction if none is open.
  void begin_write();
  void commit();
  void commit_durably();
  void require_in_place();

  std::int64_t insert_game(const GameRecord& record, std::span<const std::byte> blob,
                           std::int64_t rows);
  void insert_metric(std::int64_t step, const std::string& name, double value);

 private:
  // Device and inode of a file; nothing if it is not there.
  using FileId = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
  FileId log_id() const;

  std::filesystem::path file_;
  bool writable_;
  std::mutex mutex_;
  sqlite::Database database_;
  std::optional<sqlite::Statement> insert_game_;    // where it may be written
  std::optional<sqlite::Statement> insert_metric_;  // the same
  bool in_transaction_ = false;
  int games_in_transaction_ = 0;
  FileId log_id_;  // of the write-ahead log that is in use
};

}  // namespace baghzero
