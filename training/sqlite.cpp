#include "training/sqlite.h"

#include <stdexcept>

#include <sqlite3.h>

namespace baghzero::sqlite {
namespace {

constexpr int kBusyMilliseconds = 10'000;

std::string_view advice(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "; free some space and go on with --resume";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another program holds it locked: close that program and go on with --resume";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "; check that the file and its folder may be written to";
    case SQLITE_CANTOPEN:
      return "; check that the file exists and may be read and written";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "; the file is damaged or no run database: restore a copy or begin a new run";
    case SQLITE_ERROR:  // a table or a column is missing
      return "; the file is damaged or of another program: restore a copy or begin a new run";
    case SQLITE_IOERR:
      return "; check the disk and its free space, and go on with --resume";
    default:
      return "";
  }
}

}  // namespace

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void Statement::Finalizer::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

Database::Database(const std::filesystem::path& file, Access access) : file_(file) {
  const int flags = SQLITE_OPEN_NOMUTEX |
                    (access == Access::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                    (access == Access::Create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code, "open");
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
}

void Database::fail(int code, std::string_view action) const {
  const char* cause = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  throw std::runtime_error("cannot " + std::string(action) + " " + file_.string() + ": " + cause +
                           std::string(advice(code)));
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, "use");
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) fail(code, "use");
  return {*this, statement};
}

bool Database::has_moved() const {
  int moved = 0;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(handle_.get()); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_->fail(code, "use");
}

bool Statement::next() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  // The reset repeats the error of a failed step; the first report is the one to keep.
  if (code != SQLITE_DONE)
    database_->fail(code, sqlite3_stmt_readonly(handle_.get()) != 0 ? "read" : "write to");
  sqlite3_reset(handle_.get());
  return false;
}

void Statement::rewind() { sqlite3_reset(handle_.get()); }

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), index, value));
}
void Statement::bind(int index, double value) {
  check(sqlite3_bind_double(handle_.get(), index, value));
}
void Statement::bind(int index, std::string_view value) {
  check(sqlite3_bind_text64(handle_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
}
void Statement::bind(int index, std::span<const std::byte> value) {
  check(sqlite3_bind_blob64(handle_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT));
}
void Statement::bind(int index, std::optional<std::int64_t> value) {
  if (value)
    bind(index, *value);
  else
    check(sqlite3_bind_null(handle_.get(), index));
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}
double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }
std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return text == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
}
std::span<const std::byte> Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

}  // namespace baghzero::sqlite
