#pragma once
// A file of lines that is only ever appended to, by one process, and survives its death at any
// byte.
//
// A line is complete when it ends in a newline and its sum is right:
// `{...,"sum":"0123456789abcdef"}` with the XXH3-64 of all before `,"sum"`. What a crash leaves
// behind the last newline is cut off when the log is opened to go on; a whole line with a wrong sum
// is damage, is counted and never used. append() returns after the bytes are on the disk. Errors:
// Error{unavailable} naming the file. Not thread-safe.

#include "io/file_descriptor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff::shards {

struct LogLines {
  std::vector<std::string> lines;  // complete ones, without sum and newline, objects all the same
  std::uint64_t damaged = 0;       // whole lines whose sum is wrong or missing
  bool torn = false;               // something follows the last newline
  std::uint64_t whole_bytes = 0;   // up to the last newline
};

/// A missing file has no lines.
LogLines read_log(const std::string& path);

/// The text of a line with its sum, newline included. `object` is a JSON object.
std::string summed_line(std::string_view object);

class LineLog {
 public:
  /// Opens or makes the file and cuts off what is torn.
  explicit LineLog(const std::string& path);
  void append(std::string_view object);

 private:
  std::string path_;
  io::FileDescriptor file_;
};

}  // namespace toktier::diff::shards
