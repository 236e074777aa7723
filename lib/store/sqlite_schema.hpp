#pragma once
// The tables of a store's file, and the opening of one.
//
//   maker    who made records (maker.hpp)
//   record   a session: its name, sizes, marks, and a checksum over all that its ids depend on
//   part     its leaves in order: what each is, and the checksum of its bytes
//   leaf     how many parts name it, and its size; ids are never used twice
//   payload  its bytes (apart, so that counting does not rewrite them)
//   chain    the record's text chain (text_chain.hpp)
//   gone     names removed by time or budget
//   total    bytes of all records, as the budget counts them

#include "store/sqlite.hpp"

#include <memory>
#include <string>

namespace toktier::store {

/// "TokT"; tells a store from other databases.
inline constexpr std::int64_t kApplicationId = 0x546F6B54;
/// Of the tables. A file of a later one is refused.
inline constexpr std::int64_t kFileFormat = 1;
/// Of a record; each says its own. Others miss.
inline constexpr std::int64_t kRecordFormat = 1;

/// Throws toktier::Error as SessionStore says.
std::unique_ptr<Database> open_store(const std::string& path);

}  // namespace toktier::store
