#pragma once
// Documents in order, from files of several forms, with bounded memory.

#include <cstdint>
#include <memory>
#include <string>

namespace toktier::io {

struct Document {
  std::string id;          ///< from the record, else "FILE", "FILE:LINE" or "ARCHIVE!MEMBER"
  std::string text;        ///< bytes as they are; JSON strings unescaped to UTF-8
  std::string source;      ///< file the document came from, as shown to the user
  std::uint64_t line = 0;  ///< line in `source`, from 1; 0 when the document is a whole file
  std::string lang;        ///< from the record; empty when it says nothing
  /// Where the record (of an archive: the member with its headers) begins in the unpacked file, in
  /// bytes.
  std::uint64_t begin = 0;
  /// Where byte k of the text is byte `begin` + `text_begin` + k of the file; kNowhere when an
  /// escape or an archive lies between.
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::uint64_t text_begin = kNowhere;
  /// The record's text has no UTF-8 form and was asked for all the same (IllFormed::mark).
  bool not_utf8 = false;
};

/// Not thread-safe. One reader per thread.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;
  /// Fills `out` (reusing its memory) with the next document; false at the end. Throws Error{input}
  /// naming file and line for unreadable or malformed input; the next call goes on with the next
  /// record, or is at the end when nothing behind the damage can be read.
  virtual bool next(Document& out) = 0;
};

}  // namespace toktier::io
