#pragma once
// Records as JSON lines, as one JSON list, or beside a table: where they go.

#include "apps/common/output.hpp"
#include "apps/common/program.hpp"
#include "io/output_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace toktier::replay_app {

/// Records go to the file of -o, else to standard output unless a table was asked for there.
class Output {
 public:
  explicit Output(const cli::CommonOptions& common)
      : table_(common.format == cli::Format::table), list_(common.format == cli::Format::json) {
    if (!common.output.empty()) file_.emplace(common.output);
  }

  bool wants_table() const { return table_; }
  bool wants_records() const { return file_ || !table_; }
  void table(std::string_view text) {
    if (table_) out_.write(text);
  }
  /// One JSON object without a line end.
  void record(std::string_view json) {
    if (file_) {
      file_->write(json);
      file_->write("\n");
    } else if (list_) {
      out_.write(first_ ? "[" : ",\n ");
      out_.write(json);
    } else if (!table_) {
      out_.write(json);
      out_.write("\n");
    }
    first_ = false;
  }
  /// The reader of standard output is gone.
  bool closed() const { return out_.closed(); }
  void commit() {
    if (file_) file_->commit();
    if (!file_ && list_) out_.write(first_ ? "[]\n" : "]\n");
    out_.flush();
  }

 private:
  bool table_, list_, first_ = true;
  std::optional<io::OutputFile> file_;
  cli::StandardOutput out_;
};

}  // namespace toktier::replay_app
