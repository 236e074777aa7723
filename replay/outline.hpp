#pragma once
// What stands in the first part of a file, without parsing it whole: enough to tell formats apart.
//
// The text may be cut off anywhere, hold several values one after the other (JSON lines), or be no
// JSON at all. Paths name what was seen: "messages[].role" is the member role of an element of the
// array at messages. A value after damage starts at the next line. Immutable, thread-safe.

#include <map>
#include <string>
#include <string_view>

namespace toktier::replay {

class Outline {
 public:
  explicit Outline(std::string_view head);

  bool has(std::string_view path) const { return paths_.find(path) != paths_.end(); }
  /// The first string (shortened to 200 bytes) or bare word (number, true) seen at `path`; else
  /// empty.
  std::string_view text(std::string_view path) const;
  /// Values at the top that were seen, the last perhaps not whole; damaged ones are not counted.
  std::size_t values() const { return values_; }
  /// The text itself, at most 1 MiB.
  std::string_view head() const { return head_; }
  /// The head has a line that starts with `start`.
  bool line_starts(std::string_view start) const;

 private:
  class Scanner;
  std::string head_;
  std::map<std::string, std::string, std::less<>> paths_;
  std::size_t values_ = 0;
};

}  // namespace toktier::replay
