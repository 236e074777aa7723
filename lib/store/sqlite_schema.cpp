#include "store/sqlite_schema.hpp"

#include "store/sqlite_errors.hpp"
#include "toktier/error.hpp"

#include <fmt/core.h>

namespace toktier::store {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE maker(id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, reference TEXT NOT NULL,
  unicode TEXT NOT NULL, options TEXT NOT NULL, revision INTEGER NOT NULL,
  UNIQUE(fingerprint, reference, unicode, options, revision));
CREATE TABLE record(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
  maker INTEGER NOT NULL, format INTEGER NOT NULL, used INTEGER NOT NULL, size INTEGER NOT NULL,
  bytes INTEGER NOT NULL, tokens INTEGER NOT NULL, parts INTEGER NOT NULL, marks BLOB NOT NULL,
  digest BLOB NOT NULL);
CREATE INDEX record_used ON record(used);
CREATE TABLE part(record INTEGER NOT NULL, place INTEGER NOT NULL, leaf INTEGER NOT NULL,
  kind INTEGER NOT NULL, bytes INTEGER NOT NULL, tokens INTEGER NOT NULL, digest BLOB NOT NULL,
  PRIMARY KEY(record, place)) WITHOUT ROWID;
CREATE TABLE leaf(id INTEGER PRIMARY KEY AUTOINCREMENT, uses INTEGER NOT NULL,
  size INTEGER NOT NULL);
CREATE TABLE payload(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE chain(record INTEGER NOT NULL, place INTEGER NOT NULL, entry INTEGER NOT NULL,
  PRIMARY KEY(record, place)) WITHOUT ROWID;
CREATE INDEX chain_entry ON chain(entry, record);
CREATE TABLE gone(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
  why INTEGER NOT NULL);
CREATE TABLE total(id INTEGER PRIMARY KEY CHECK(id = 1), bytes INTEGER NOT NULL);
INSERT INTO total VALUES(1, 0);
)";

void make_tables(Database& database, const std::string& path) {
  Transaction all(database);
  const std::int64_t application = database.number("PRAGMA application_id");
  if (application == kApplicationId) return;  // another process was faster
  if (application != 0 || database.number("SELECT count(*) FROM sqlite_schema") != 0)
    throw Error(ErrorCode::input, "a database, but not a session store", path);
  database.execute(kTables);
  database.execute(fmt::format("PRAGMA application_id={}", kApplicationId).c_str());
  database.execute(fmt::format("PRAGMA user_version={}", kFileFormat).c_str());
  all.commit();
}

}  // namespace

std::unique_ptr<Database> open_store(const std::string& path) {
  try {
    // Names that mean something else to SQLite are paths here.
    auto database = std::make_unique<Database>(path[0] == ':' ? "./" + path : path);
    database->execute("PRAGMA trusted_schema=OFF");
    database->execute("PRAGMA cell_size_check=ON");
    if (database->number("PRAGMA application_id") != kApplicationId) make_tables(*database, path);
    const std::int64_t format = database->number("PRAGMA user_version");
    if (format != kFileFormat) {
      throw Error(format > kFileFormat ? ErrorCode::unsupported : ErrorCode::input,
                  fmt::format("a session store of format {}; this version reads format {}", format,
                              kFileFormat),
                  path);
    }
    if (database->word("PRAGMA journal_mode=WAL") != "wal")
      throw Error(ErrorCode::unavailable, "its file system has no write-ahead log for it", path);
    database->execute("PRAGMA synchronous=FULL");
    database->execute("PRAGMA journal_size_limit=67108864");
    return database;
  } catch (const SqliteFailure& failure) {
    throw opening_error(failure, path);
  }
}

}  // namespace toktier::store
