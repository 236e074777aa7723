#include "diff/shards/slice_source.hpp"

#include "diff/digest.hpp"
#include "io/byte_source.hpp"
#include "io/tar_reader.hpp"
#include "toktier/error.hpp"

#include <map>

namespace toktier::diff::shards {
namespace {

class Slices final : public DocumentSource {
 public:
  Slices(const Plan& plan, const PlanPortion& portion, io::StopDescriptor stop)
      : plan_(plan), portion_(portion), stop_(stop) {
    for (const PlanSlice& slice : portion.slices) total_ += slice.text_bytes;
  }

  bool next(Document& document) override {
    for (;;) {
      if (!reader_ && (at_ == portion_.slices.size() || io::stop_requested(stop_))) return false;
      try {
        if (!reader_) reader_ = open(portion_.slices[at_]);
        if (reader_->next(record_)) break;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::input || !reader_) throw;
        leave_out(error);
        continue;
      }
      reader_.reset();
      check(portion_.slices[at_++]);
    }
    digest_.add(record_.text);
    ++documents_;
    position_ += record_.text.size();
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
  std::unique_ptr<io::DocumentReader> open(const PlanSlice& slice) {
    const PlanFile& file = plan_.files[slice.file];
    io::RecordOptions options = record_options(plan_.settings, file.form);
    options.first_line = slice.first_line;
    options.first_byte = slice.first_byte;
    io::ByteSource source =
        io::ByteSource::open_slice(file.path, {file.packed, slice.frame, slice.skip, slice.bytes});
    documents_ = 0;
    digest_.reset();
    return file.archive ? io::read_tar(std::move(source), file.path, options)
                        : io::read_documents(std::move(source), file.path, options);
  }

  void check(const PlanSlice& slice) const {
    if (documents_ == slice.documents && digest_.value() == slice.digest) return;
    throw Error(ErrorCode::input, "the file is not what it was when the plan was made",
                plan_.files[slice.file].path);
  }

  void leave_out(const Error& error) {
    ++failed_;
    std::string reason = std::string("input: ") + error.what();
    if (left_out_.size() >= kMaxReasons && left_out_.count(reason) == 0)
      reason = "input: further damaged files or records";
    ++left_out_[reason];
  }

  static constexpr std::size_t kMaxReasons = 50;
  const Plan& plan_;
  const PlanPortion& portion_;
  io::StopDescriptor stop_;
  std::uint64_t total_ = 0, position_ = 0;  // bytes of text
  std::size_t at_ = 0;
  std::unique_ptr<io::DocumentReader> reader_;
  io::Document record_;
  TextDigest digest_;
  std::uint64_t documents_ = 0;
  std::map<std::string, std::uint64_t> left_out_;
  std::uint64_t failed_ = 0;
};

}  // namespace

std::unique_ptr<DocumentSource> open_slices(const Plan& plan, const PlanPortion& portion,
                                            io::StopDescriptor stop) {
  return std::make_unique<Slices>(plan, portion, stop);
}

}  // namespace toktier::diff::shards
