#pragma once
// What a failure of SQLite is to the caller of a store.

#include "store/sqlite.hpp"
#include "toktier/error.hpp"

#include <string>

namespace toktier::store {

Error opening_error(const SqliteFailure& failure, const std::string& path);
Error writing_error(const SqliteFailure& failure, const std::string& path);
Error reading_error(const SqliteFailure& failure, const std::string& path);

}  // namespace toktier::store
