#include "diff/shards/corpus_plan.hpp"

#include "diff/digest.hpp"
#include "io/inputs.hpp"
#include "io/tar_reader.hpp"
#include "toktier/error.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace toktier::diff::shards {
namespace {

namespace fs = std::filesystem;

const char* form_name(io::RecordForm form) {
  return form == io::RecordForm::text    ? "text"
         : form == io::RecordForm::lines ? "lines"
         : form == io::RecordForm::jsonl ? "jsonl"
                                         : "auto";
}

/// Cuts one source.
class Cutter {
 public:
  Cutter(Plan& plan, std::uint64_t portion_weight) : plan_(plan), portion_weight_(portion_weight) {
    portion_.source = plan.sources.size() - 1;
  }

  void file(const std::string& path, const std::string& form) {
    if (path == "-") throw Error(ErrorCode::usage, "a plan cannot read standard input again");
    if (!fs::is_regular_file(path))
      throw Error(ErrorCode::input, "not a regular file: shards read it anew", path);
    io::ByteSource source = io::ByteSource::open(path);
    frames_ = source.record_frames();
    frames_seen_ = 0;
    io::RecordOptions options = record_options(plan_.settings, form);
    const std::string_view start = source.peek(512);
    PlanFile file{path, fs::file_size(path), source.packed(), io::is_tar(start), form, 0};
    if (!file.archive) file.form = form_name(io::form_of(source, options));
    options = record_options(plan_.settings, file.form);
    plan_.files.push_back(file);
    slice_ = PlanSlice{};
    slice_.file = plan_.files.size() - 1;
    auto reader = file.archive ? io::read_tar(std::move(source), path, options)
                               : io::read_documents(std::move(source), path, options);
    read(*reader);
    plan_.files.back().frames = frames_seen_ + frames_->size();
    // To the end, so that damage behind the last record is met as well.
    slice_.bytes = PlanSlice::kToEnd;
    end_slice();
    if (portion_.weight >= portion_weight_) end_portion();
  }

  void end_portion() {
    if (!portion_.slices.empty()) plan_.portions.push_back(portion_);
    portion_.slices.clear();
    portion_.weight = 0;
  }

 private:
  void read(io::DocumentReader& reader) {
    std::uint64_t member = 0;  // begin of the last document: an archive is cut between members
    for (io::Document document;;) {
      try {
        if (!reader.next(document)) return;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::input) throw;
        continue;
      }
      if (portion_.weight >= portion_weight_ && document.begin != member) cut(document);
      member = document.begin;
      digest_.add(document.text);
      ++slice_.documents;
      slice_.text_bytes += document.text.size();
      portion_.weight += document.text.size() + kDocumentWeight;
      drop_frames(document.begin);
    }
  }

  /// `next` begins the next portion.
  void cut(const io::Document& next) {
    slice_.bytes = next.begin - slice_.first_byte;
    end_slice();
    end_portion();
    const std::uint64_t file = slice_.file;
    slice_ = PlanSlice{};
    slice_.file = file;
    slice_.first_byte = next.begin;
    slice_.first_line = std::max<std::uint64_t>(1, plan_.files.back().archive ? 1 : next.line);
    drop_frames(next.begin);
    if (!plan_.files.back().packed) {
      slice_.frame = next.begin;
    } else {
      slice_.frame = frames_->front().packed;
      slice_.skip = next.begin - frames_->front().unpacked;
    }
  }

  void end_slice() {
    slice_.digest = digest_.value();
    digest_.reset();
    portion_.slices.push_back(slice_);
  }

  /// Leaves the frame in which `place` lies, and those behind it.
  void drop_frames(std::uint64_t place) {
    std::size_t gone = 0;
    while (gone + 1 < frames_->size() && (*frames_)[gone + 1].unpacked <= place) ++gone;
    frames_->erase(frames_->begin(), frames_->begin() + static_cast<std::ptrdiff_t>(gone));
    frames_seen_ += gone;
  }

  Plan& plan_;
  std::uint64_t portion_weight_;
  PlanPortion portion_;
  PlanSlice slice_;
  TextDigest digest_;
  std::shared_ptr<std::vector<io::FrameStart>> frames_;
  std::uint64_t frames_seen_ = 0;
};

}  // namespace

void add_corpus(Plan& plan, const std::string& input, const std::string& form,
                std::uint64_t portion_weight,
                const std::function<void(const std::string&)>& on_file) {
  io::InputOptions inputs;
  inputs.paths = {input};
  inputs.recursive = true;
  io::Skipped skipped;
  const std::vector<std::string> files = io::list_inputs(inputs, nullptr, &skipped);
  PlanSource source;
  source.name = input;
  for (const auto& [kind, count] : skipped) source.left_out["folder entry: " + kind] = count;
  plan.sources.push_back(std::move(source));
  Cutter cutter(plan, portion_weight);
  for (const std::string& file : files) {
    if (on_file) on_file(file);
    cutter.file(file, form);
  }
  cutter.end_portion();
}

}  // namespace toktier::diff::shards
