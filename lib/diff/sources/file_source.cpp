#include "diff/sources/file_source.hpp"

#include "io/inputs.hpp"

#include <filesystem>

namespace toktier::diff::sources {
namespace {

namespace fs = std::filesystem;

class Files final : public DocumentSource {
 public:
  Files(std::vector<std::string> files, const io::RecordOptions& options)
      : files_(std::move(files)), options_(options) {
    std::error_code code;
    for (const std::string& file : files_) {
      const auto size = file == "-" ? 0 : fs::file_size(file, code);
      sizes_.push_back(code ? 0 : size);
      total_ += sizes_.back();
    }
  }

  bool next(Document& document) override {
    for (;;) {
      if (!reader_) {
        if (at_ == files_.size()) return false;
        reader_ = io::read_file(files_[at_], options_);
      }
      if (reader_->next(record_)) break;
      reader_.reset();
      position_ += sizes_[at_++];
    }
    document = Document{};
    document.text = record_.text;
    document.id = record_.id;
    document.origin = record_.source;
    return true;
  }
  std::uint64_t total() const override { return total_; }
  std::uint64_t position() const override { return position_; }

 private:
  std::vector<std::string> files_;
  io::RecordOptions options_;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t total_ = 0, position_ = 0;  // bytes on disk, whole files
  std::size_t at_ = 0;
  std::unique_ptr<io::DocumentReader> reader_;
  io::Document record_;
};

}  // namespace

std::unique_ptr<DocumentSource> from_files(const std::vector<std::string>& paths,
                                           const io::RecordOptions& options) {
  io::InputOptions inputs;
  inputs.paths = paths;
  inputs.recursive = true;
  return std::make_unique<Files>(io::list_inputs(inputs), options);
}

}  // namespace toktier::diff::sources
