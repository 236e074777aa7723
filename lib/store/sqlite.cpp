#include "store/sqlite.hpp"

#include <cerrno>
#include <sqlite3.h>

namespace toktier::store {

namespace {
constexpr int kPatienceMs = 10000;  // for other processes' transactions
}

bool SqliteFailure::damaged() const {
  switch (code_ & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_FORMAT:
    case SQLITE_CONSTRAINT:  // the schema's own; nothing here breaks one in a sound file
    case SQLITE_ERROR:       // a table or column is not there
      return true;
    default:
      // A page that the file ends before.
      return code_ == SQLITE_IOERR_SHORT_READ;
  }
}

bool SqliteFailure::full() const {
  return (code_ & 0xFF) == SQLITE_FULL || code_ == SQLITE_IOERR_WRITE ||
         code_ == SQLITE_IOERR_SHMSIZE || code_ == SQLITE_IOERR_TRUNCATE;
}

Database::Database(const std::string& path) {
  const int code =
      sqlite3_open_v2(path.c_str(), &handle_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const SqliteFailure failure(code, sqlite3_errmsg(handle_));
    sqlite3_close(handle_);
    throw failure;
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kPatienceMs);
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::fail(int code) const { throw SqliteFailure(code, sqlite3_errmsg(handle_)); }

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  auto run = statement.run();
  return run.row() ? run.integer(0) : 0;
}

std::string Database::word(const char* sql) {
  Statement statement(*this, sql);
  auto run = statement.run();
  return run.row() ? std::string(run.bytes(0)) : std::string();
}

int Database::changes() const { return sqlite3_changes(handle_); }
std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Statement::Statement(Database& database, const char* sql) : database_(database) {
  const int code =
      sqlite3_prepare_v3(database_.handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) database_.fail(code);
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement::Run::~Run() {
  sqlite3_reset(statement_.handle_);
  sqlite3_clear_bindings(statement_.handle_);
}

bool Statement::Run::row() {
  const int code = sqlite3_step(statement_.handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) statement_.database_.fail(code);
  return false;
}

std::int64_t Statement::Run::integer(int column) const {
  return sqlite3_column_int64(statement_.handle_, column);
}

std::string_view Statement::Run::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.handle_, column));
  const int size = sqlite3_column_bytes(statement_.handle_, column);
  if (data == nullptr || size <= 0) return {};
  return {data, static_cast<std::size_t>(size)};
}

void Statement::bind(int place, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_, place, value);
  if (code != SQLITE_OK) database_.fail(code);
}

// What is bound lives until the execution ends: the caller's statement runs within the call.
void Statement::bind(int place, std::string_view value) {
  const char* data = value.empty() ? "" : value.data();
  const int code =
      sqlite3_bind_text64(handle_, place, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind(int place, Blob value) {
  const char* data = value.bytes.empty() ? "" : value.bytes.data();
  const int code = sqlite3_bind_blob64(handle_, place, data, value.bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_.fail(code);
}

Transaction::~Transaction() {
  // Some failures have rolled back already. If this one fails, the file's own recovery does it.
  if (!database_.in_transaction()) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const SqliteFailure&) {
  }
}

}  // namespace toktier::store
