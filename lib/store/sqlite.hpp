#pragma once
// SQLite with values and exceptions: a database, prepared statements, transactions. One thread at a
// time. What goes wrong is SqliteFailure, which the backend turns into a miss or an Error.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace toktier::store {

class SqliteFailure : public std::runtime_error {
 public:
  SqliteFailure(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }  // extended
  /// The file holds something else than it should.
  bool damaged() const;
  /// There is no room for what was to be written.
  bool full() const;

 private:
  int code_;
};

class Database {
 public:
  /// Opens or makes the file.
  explicit Database(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* sql);
  /// The first column of the first row.
  std::int64_t number(const char* sql);
  std::string word(const char* sql);
  /// Rows that the last statement changed; the row that it put in.
  int changes() const;
  std::int64_t last_row() const;
  bool in_transaction() const;

 private:
  friend class Statement;
  [[noreturn]] void fail(int code) const;
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// One execution; ends with the object. Views are good until row() is called again.
  class Run {
   public:
    explicit Run(Statement& statement) : statement_(statement) {}
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    bool row();
    std::int64_t integer(int column) const;
    std::string_view bytes(int column) const;  // text or a blob

   private:
    Statement& statement_;
  };

  /// Starts an execution with these values: integers, texts, blobs (Blob).
  template <class... Values>
  Run run(const Values&... values) {
    [[maybe_unused]] int place = 0;
    (bind(++place, values), ...);
    return Run(*this);
  }
  /// Runs to the end.
  template <class... Values>
  void execute(const Values&... values) {
    Run all = run(values...);
    while (all.row()) {
    }
  }

  struct Blob {
    std::string_view bytes;
  };

 private:
  void bind(int place, std::int64_t value);
  void bind(int place, std::string_view value);
  void bind(int place, Blob value);
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Everything between its making and commit() happens, or nothing does. One that only reads sees
/// the file at one time and needs no commit().
class Transaction {
 public:
  enum class Kind { writes, reads };
  explicit Transaction(Database& database, Kind kind = Kind::writes) : database_(database) {
    database_.execute(kind == Kind::writes ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() { database_.execute("COMMIT"); }

 private:
  Database& database_;
};

}  // namespace toktier::store
