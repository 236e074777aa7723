#include "io/inputs.hpp"

#include "io/tar_reader.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <glob.h>

namespace toktier::io {
namespace {

namespace fs = std::filesystem;

/// Why an entry of a folder is neither read nor entered; empty when it is.
std::string why_skipped(const fs::directory_entry& entry) {
  std::error_code error;
  const bool link = entry.is_symlink(error);
  switch (entry.status(error).type()) {  // of what a link leads to
    case fs::file_type::regular:
      return "";
    case fs::file_type::directory:
      return link ? "link to a folder" : "";
    case fs::file_type::fifo:
      return "FIFO";
    case fs::file_type::socket:
      return "socket";
    case fs::file_type::block:
    case fs::file_type::character:
      return "device";
    default:
      return link ? "dangling link" : "entry of unknown kind";
  }
}

std::vector<std::string> walk(const std::string& directory, Skipped* skipped) {
  std::vector<std::string> out;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string why = why_skipped(*at);
    std::error_code ignored;
    if (!why.empty()) {
      if (skipped != nullptr) ++(*skipped)[why];
    } else if (at->is_regular_file(ignored)) {
      out.push_back(at->path().string());
    }
  }
  if (error) throw Error(ErrorCode::input, "cannot list: " + error.message(), directory);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> match(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> out(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status != 0 && status != GLOB_NOMATCH) {
    throw Error(ErrorCode::input, "cannot read a directory of this pattern", pattern);
  }
  // The C library sorts by the locale; the order of documents must not depend on it.
  std::sort(out.begin(), out.end());
  return out;
}

void add(const std::string& path, const InputOptions& options, std::vector<std::string>& out,
         Skipped* skipped) {
  std::error_code error;
  if (path == "-") {
    if (std::find(out.begin(), out.end(), path) != out.end()) {
      throw Error(ErrorCode::usage, "standard input can be read only once", "-");
    }
    out.push_back(path);
  } else if (fs::is_directory(path, error)) {
    if (!options.recursive)
      throw Error(ErrorCode::usage, "is a directory; add -r to read its files", path);
    const std::vector<std::string> files = walk(path, skipped);
    out.insert(out.end(), files.begin(), files.end());
  } else if (fs::exists(path, error)) {
    out.push_back(path);
  } else {
    const bool pattern = path.find_first_of("*?[") != std::string::npos;
    const std::vector<std::string> files = pattern ? match(path) : std::vector<std::string>();
    if (files.empty()) {
      throw Error(ErrorCode::input,
                  pattern ? "no file matches this pattern" : "no such file or directory", path);
    }
    for (const std::string& file : files) {
      // A pattern may name directories too; without -r they are passed over, as shells' users
      // expect of "*".
      if (!fs::is_directory(file, error)) {
        out.push_back(file);
      } else if (options.recursive) {
        const std::vector<std::string> inside = walk(file, skipped);
        out.insert(out.end(), inside.begin(), inside.end());
      }
    }
  }
}

std::vector<std::string> read_list(const std::string& path, bool nul_separated,
                                   StopDescriptor stop) {
  std::string content;
  ByteSource source = ByteSource::open(path, kMaxUnpackedBytes, stop);
  for (std::size_t got = 1; got > 0;) {
    const std::size_t begin = content.size();
    content.resize(begin + (std::size_t{1} << 16));
    got = source.read(content.data() + begin, content.size() - begin);
    content.resize(begin + got);
  }
  std::vector<std::string> out;
  if (source.stopped()) return out;  // nothing will be read, and the last name may be cut
  const char separator = nul_separated ? '\0' : '\n';
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find(separator, begin), content.size());
    std::string name = content.substr(begin, end - begin);
    if (!nul_separated && name.ends_with('\r')) name.pop_back();
    if (!name.empty()) out.push_back(std::move(name));
    begin = end + 1;
  }
  return out;
}

class InputsReader final : public DocumentReader {
 public:
  InputsReader(std::vector<std::string> files, RecordOptions options, StopDescriptor stop)
      : files_(std::move(files)), options_(std::move(options)), stop_(stop) {}

  bool next(Document& out) override {
    for (;;) {
      if (current_ != nullptr) {
        if (current_->next(out)) return true;
        current_.reset();
      }
      if (at_ == files_.size() || stop_requested(stop_)) return false;
      current_ = read_file(files_[at_++], options_, stop_);
    }
  }

 private:
  std::vector<std::string> files_;
  RecordOptions options_;
  StopDescriptor stop_;
  std::size_t at_ = 0;
  std::unique_ptr<DocumentReader> current_;
};

}  // namespace

std::string describe(const Skipped& skipped) {
  std::vector<std::string> kinds;
  std::uint64_t total = 0;
  for (const auto& [kind, count] : skipped) {
    total += count;
    kinds.push_back(fmt::format("{} {}", count, kind));
  }
  if (total == 0) return "";
  return fmt::format("{} {} skipped: {}", total,
                     total == 1 ? "entry of a folder" : "entries of folders",
                     fmt::join(kinds, ", "));
}

std::vector<std::string> list_inputs(const InputOptions& options, std::vector<Error>* problems,
                                     Skipped* skipped) {
  std::vector<std::string> out;
  const auto collect = [problems](const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      if (problems == nullptr || error.code() != ErrorCode::input) throw;
      problems->push_back(error);
    }
  };
  for (const std::string& path : options.paths) collect([&] { add(path, options, out, skipped); });
  if (!options.files_from) return out;
  if (*options.files_from == "-" && std::find(out.begin(), out.end(), "-") != out.end()) {
    throw Error(ErrorCode::usage, "standard input cannot be both a document and the list of files",
                "-");
  }
  std::vector<std::string> listed;
  collect([&] { listed = read_list(*options.files_from, options.nul_separated, options.stop); });
  for (const std::string& path : listed) {
    if (path == "-" && *options.files_from == "-") {
      throw Error(ErrorCode::usage, "the list of files came from standard input and names it", "-");
    }
    collect([&] { add(path, options, out, skipped); });
  }
  return out;
}

std::unique_ptr<DocumentReader> read_files(std::vector<std::string> files,
                                           const RecordOptions& options, StopDescriptor stop) {
  return std::make_unique<InputsReader>(std::move(files), options, stop);
}

std::unique_ptr<DocumentReader> read_inputs(const InputOptions& options) {
  return read_files(list_inputs(options), options.records, options.stop);
}

std::unique_ptr<DocumentReader> read_file(const std::string& path, const RecordOptions& options,
                                          StopDescriptor stop) {
  ByteSource source = ByteSource::open(path, ~std::uint64_t{0}, stop);
  // A pipe may give one line and wait; a tar header holds NUL bytes.
  std::string_view start = source.peek_line(512);
  if (start.find('\0') != std::string_view::npos) start = source.peek(512);
  if (is_tar(start)) return read_tar(std::move(source), path, options);
  return read_documents(std::move(source), path, options);
}

}  // namespace toktier::io
