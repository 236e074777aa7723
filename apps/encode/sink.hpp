#pragma once
// Where results go: standard output, or the file of -o, whole or not at all.

#include "apps/common/output.hpp"
#include "io/output_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace toktier::encode_app {

class Sink {
 public:
  explicit Sink(const std::string& path) {
    if (!path.empty()) file_.emplace(path);
  }
  void write(std::string_view text) {
    if (file_)
      file_->write(text);
    else
      out_.write(text);
  }
  /// The reader of standard output is gone: there is nothing left to do.
  bool closed() const { return out_.closed(); }
  void commit() {
    if (file_)
      file_->commit();
    else
      out_.flush();
  }

 private:
  std::optional<io::OutputFile> file_;
  cli::StandardOutput out_;
};

}  // namespace toktier::encode_app
