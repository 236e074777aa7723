#pragma once
// Results on standard output. Not thread-safe.

#include <string>
#include <string_view>

namespace toktier::cli {

/// Standard output by plain writes. A reader that goes away is not an error: closed() becomes true
/// and further text is dropped. Other failures throw Error{unavailable}, as those of output files
/// do.
class StandardOutput {
 public:
  void write(std::string_view text);
  void flush();
  bool closed() const { return closed_; }
  ~StandardOutput();

 private:
  std::string buffer_;
  bool closed_ = false;
};

}  // namespace toktier::cli
