// A thin layer over the SQLite C interface: connections and prepared statements that clean up after
// themselves, and errors as sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace baghzero::sqlite {

enum class Access : std::uint8_t { ReadOnly, ReadWrite, Create };

class Statement;

// One connection, used by one thread at a time. All errors are std::runtime_error naming the file,
// the cause and, where there is something to do about it, what.
class Database {
 public:
  Database(const std::filesystem::path& file, Access access);

  void execute(const std::string& sql);
  Statement prepare(std::string_view sql);
  std::int64_t last_insert_id() const;
  // Whether the file of that name is this database no more: it was moved, deleted or replaced.
  bool has_moved() const;
  // Throws the sentence for `code`, the result of a call on this connection.
  [[noreturn]] void fail(int code, std::string_view action) const;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Closer> handle_;
};

// A prepared statement; it must not outlive its database. Typical use:
//   statement.run(1, "text", blob);                                  writes
//   for (statement.start(7); statement.next();) use(statement.integer(0));   reads
class Statement {
 public:
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  // Binds parameters 1.. in order; the statement is at its beginning afterwards.
  template <class... Values>
  void start(const Values&... values) {
    rewind();
    int index = 0;
    (bind(++index, values), ...);
  }
  // Whether there is another row; its columns are read by the members below, counted from 0.
  bool next();
  // start(), and steps to the end.
  template <class... Values>
  void run(const Values&... values) {
    start(values...);
    while (next()) {
    }
  }

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  // valid until the next step
  bool is_null(int column) const;
  // Gives the read lock back; next() and run() do so at the end of the rows by themselves.
  void rewind();

 private:
  void bind(int index, std::int64_t value);
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind(int index, const std::string& value) { bind(index, std::string_view(value)); }
  void bind(int index, std::span<const std::byte> value);
  void bind(int index, std::optional<std::int64_t> value);
  void check(int code) const;

  struct Finalizer {
    void operator()(sqlite3_stmt* handle) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
};

}  // namespace baghzero::sqlite
