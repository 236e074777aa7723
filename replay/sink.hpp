#pragma once
// Where readers put what they find. A sink is called by one thread.

#include "replay/transcript.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::replay {

/// Something in a file that could not be read as what it should be. Reading goes on behind it.
struct Problem {
  std::string file;
  std::uint64_t line = 0;  ///< from 1; 0 when the file has no lines to speak of
  std::string field;       ///< path of the field inside the record; empty: the record itself
  std::string value;       ///< what stands there, shortened
  std::string message;
};
/// "file:line: field: message (value)".
std::string text_of(const Problem& problem);

/// What became of a record.
enum class Use : std::uint8_t {
  text,      ///< it gave messages, or lengths
  meta,      ///< known, and says nothing a model reads
  repeated,  ///< known, and its text stands in another record
  unknown,   ///< not known: counted, its text is not in the session
};
std::string_view name_of(Use use);

class Sink {
 public:
  virtual ~Sink() = default;
  /// Comes before the session's first step. Sessions of a file may be interleaved.
  virtual void open(const Session& session) = 0;
  virtual void step(const std::string& key, Step&& step) = 0;
  /// No step of `key` follows.
  virtual void close(const std::string& key) = 0;
  virtual void problem(const Problem& problem) = 0;
  /// One record of `kind` in a file read by `format`.
  virtual void record(std::string_view format, std::string_view kind, Use use) = 0;
  /// A file is done; `format` is empty when no row knows its content.
  virtual void file_done(const std::string& file, std::string_view format) = 0;
};

}  // namespace toktier::replay
