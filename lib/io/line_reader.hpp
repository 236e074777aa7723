#pragma once
// Lines of a byte source. Memory: one buffer as long as the longest line. Not thread-safe.

#include "io/byte_source.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::io {

class LineReader {
 public:
  /// Lines longer than `max_line` bytes are an Error{input} naming file and line.
  explicit LineReader(ByteSource source, std::uint64_t max_line);

  /// The next line without its '\n'; the last one may lack it, unless the source was stopped there.
  /// False at the end, and after an error. The view is valid until the next call, and kReadPadding
  /// bytes behind it may be read.
  bool next(std::string_view& line);
  /// Number of the line last returned, from 1.
  std::uint64_t number() const { return number_; }
  /// Offset of its first byte in the source.
  std::uint64_t offset() const { return offset_; }
  const std::string& path() const { return source_.path(); }
  bool stopped() const { return source_.stopped(); }

 private:
  ByteSource source_;
  std::uint64_t max_line_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;  // of the bytes read; buffer_ is longer
  bool at_end_ = false;
  bool failed_ = false;
  std::uint64_t number_ = 0;
  std::uint64_t offset_ = 0, next_offset_ = 0;
};

}  // namespace toktier::io
