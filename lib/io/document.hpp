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
};

/// Not thread-safe. One reader per thread.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;
  /// Fills `out` (reusing its memory) with the next document; false at the end. Throws Error{input}
  /// naming file and line for unreadable or malformed input; the reader must not be used
  /// afterwards.
  virtual bool next(Document& out) = 0;
};

}  // namespace toktier::io
