#include "store/sqlite_errors.hpp"

#include <fmt/core.h>

#include <sqlite3.h>

namespace toktier::store {

namespace {

Error made(const SqliteFailure& failure, const std::string& path, const char* what) {
  const int code = failure.code() & 0xFF;
  if (failure.full()) {
    return {ErrorCode::unavailable,
            fmt::format("no room to write; what was stored before stays ({})", failure.what()),
            path};
  }
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    return {ErrorCode::unavailable, "another process has held the session store for too long",
            path};
  if (code == SQLITE_NOTADB) return {ErrorCode::input, "not a session store", path};
  if (failure.damaged())
    return {ErrorCode::input, fmt::format("a damaged session store ({})", failure.what()), path};
  return {ErrorCode::unavailable, fmt::format("{} ({})", what, failure.what()), path};
}

}  // namespace

Error opening_error(const SqliteFailure& failure, const std::string& path) {
  return made(failure, path, "the session store cannot be opened");
}

Error writing_error(const SqliteFailure& failure, const std::string& path) {
  return made(failure, path, "the session store cannot be written");
}

Error reading_error(const SqliteFailure& failure, const std::string& path) {
  return made(failure, path, "the session store cannot be read");
}

}  // namespace toktier::store
