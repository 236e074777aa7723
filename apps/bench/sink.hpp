#pragma once
// Where measurements go: standard output takes the chosen form; the file of -o takes records,
// whatever is shown.

#include "apps/common/output.hpp"
#include "apps/common/program.hpp"
#include "io/output_file.hpp"

#include <optional>
#include <string_view>

namespace toktier::bench {

class Sink {
 public:
  explicit Sink(const cli::CommonOptions& common)
      : shows_table_(common.format == cli::Format::table) {
    if (!common.output.empty()) file_.emplace(common.output);
  }
  /// `record`: one JSON object without a line end; `table`: what a person sees instead.
  void write(std::string_view record, std::string_view table) {
    const std::string line = std::string(record) + '\n';
    if (file_) file_->write(line);
    if (shows_table_)
      out_.write(std::string(table));
    else if (!file_)
      out_.write(line);
    out_.flush();
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  bool shows_table_;
  std::optional<io::OutputFile> file_;
  cli::StandardOutput out_;
};

}  // namespace toktier::bench
