#include "diff/sources/file_source.hpp"

#include "io/inputs.hpp"

#include <filesystem>
#include <map>

namespace toktier::diff::sources {
namespace {

namespace fs = std::filesystem;

class Files final : public DocumentSource {
 public:
  Files(std::vector<std::string> files, const io::Skipped& skipped,
        const io::RecordOptions& options, io::StopDescriptor stop)
      : files_(std::move(files)), options_(options), stop_(stop) {
    for (const auto& [kind, count] : skipped) left_out_["folder entry: " + kind] = count;
    std::error_code code;
    for (const std::string& file : files_) {
      const auto size = file == "-" ? 0 : fs::file_size(file, code);
      sizes_.push_back(code ? 0 : size);
      total_ += sizes_.back();
    }
  }

  bool next(Document& document) override {
    for (;;) {
      if (!reader_ && (at_ == files_.size() || io::stop_requested(stop_))) return false;
      try {
        if (!reader_) reader_ = io::read_file(files_[at_], options_, stop_);
        if (reader_->next(record_)) break;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::input) throw;
        leave_out(error);
        if (reader_) continue;  // its next record
      }
      reader_.reset();
      position_ += sizes_[at_++];
    }
    document = Document{};
    document.text = record_.text;
    document.id = record_.id;
    document.origin = record_.source;
    document.line = record_.line;
    document.record_begin = record_.begin;
    document.text_begin = record_.text_begin;
    return true;
  }
  std::uint64_t total() const override { return total_; }
  std::uint64_t position() const override { return position_; }
  std::vector<std::pair<std::string, std::uint64_t>> left_out() const override {
    return {left_out_.begin(), left_out_.end()};
  }
  std::uint64_t failed() const override { return failed_; }

 private:
  void leave_out(const Error& error) {
    ++failed_;
    std::string reason = std::string("input: ") + error.what();
    if (left_out_.size() >= kMaxReasons && left_out_.count(reason) == 0) {
      reason = "input: further damaged files or records";
    }
    ++left_out_[reason];
  }

  static constexpr std::size_t kMaxReasons = 50;
  std::vector<std::string> files_;
  io::RecordOptions options_;
  io::StopDescriptor stop_;
  std::map<std::string, std::uint64_t> left_out_;
  std::uint64_t failed_ = 0;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t total_ = 0, position_ = 0;  // bytes on disk, whole files
  std::size_t at_ = 0;
  std::unique_ptr<io::DocumentReader> reader_;
  io::Document record_;
};

}  // namespace

std::unique_ptr<DocumentSource> from_files(const std::vector<std::string>& paths,
                                           const io::RecordOptions& options,
                                           io::StopDescriptor stop) {
  io::InputOptions inputs;
  inputs.paths = paths;
  inputs.recursive = true;
  io::Skipped skipped;
  std::vector<std::string> files = io::list_inputs(inputs, nullptr, &skipped);
  return std::make_unique<Files>(std::move(files), skipped, options, stop);
}

}  // namespace toktier::diff::sources
