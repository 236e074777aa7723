#pragma once
// The records of a JSON file, one at a time: the elements of the array at the top, or the values
// that stand one after the other (JSON lines or not). Memory: the longest record. Internal to this
// room, not thread-safe.

#include "io/byte_source.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::replay {

/// Records longer than this are refused: Error{input}.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{2} << 30;

/// Cuts by brackets, strings and line ends alone; whether a record is valid is for the parser.
class JsonValues {
 public:
  explicit JsonValues(io::ByteSource source);

  /// The next record. False at the end. The view is valid until the next call, with
  /// io::kReadPadding bytes behind it.
  bool next(std::string_view& record);
  /// Line on which the record begins, from 1.
  std::uint64_t line() const { return line_; }
  /// The file ended inside the last record (or inside the array).
  bool cut_off() const { return cut_off_; }
  /// The top is an array whose elements these are.
  bool in_array() const { return array_; }

 private:
  int get();
  int look();

  io::ByteSource source_;
  std::string block_;
  std::size_t begin_ = 0, end_ = 0;
  std::string record_;
  std::uint64_t here_ = 1, line_ = 0;
  bool started_ = false, array_ = false, done_ = false, cut_off_ = false;
};

}  // namespace toktier::replay
