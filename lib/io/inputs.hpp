#pragma once
// From what the user names (files, directories, globs, lists, "-") to documents in one fixed order.

#include "io/document_readers.hpp"
#include "toktier/error.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace toktier::io {

struct InputOptions {
  std::vector<std::string> paths;  ///< in the order wanted; "-" = standard input
  std::optional<std::string>
      files_from;              ///< a file ("-" allowed) with one path a line, appended to `paths`
  bool nul_separated = false;  ///< the list ends each path with NUL instead of a line end
  bool recursive = false;      ///< go into directories
  RecordOptions records;
  StopDescriptor stop = -1;  ///< ends reading early: whole documents only, nothing after them
};

/// What directories hold beside files and directories, by kind: "dangling link", "link to a
/// folder", "FIFO", "socket", "device". None of it is read.
using Skipped = std::map<std::string, std::uint64_t>;
/// "3 entries of folders skipped: 1 dangling link, 2 FIFO"; empty for nothing.
std::string describe(const Skipped& skipped);

/// The files, in order: paths as given; a directory's files in byte order of their paths, links to
/// directories not followed, with `skipped` what is passed by is counted; a glob's matches in byte
/// order. A path that exists is never taken as a glob. Error{input} for what does not exist or
/// matches nothing; with `problems` these are put there instead and the rest is listed.
/// Error{usage} for a directory without `recursive` or standard input named twice.
std::vector<std::string> list_inputs(const InputOptions& options,
                                     std::vector<Error>* problems = nullptr,
                                     Skipped* skipped = nullptr);

/// Reads files one after the other; a file is opened when its turn comes. tar archives (also
/// packed) are found by content. After an error of next() the reader goes on with the next record
/// or file.
std::unique_ptr<DocumentReader> read_files(std::vector<std::string> files,
                                           const RecordOptions& options, StopDescriptor stop = -1);
/// The two together.
std::unique_ptr<DocumentReader> read_inputs(const InputOptions& options);

/// One file (or "-") alone.
std::unique_ptr<DocumentReader> read_file(const std::string& path, const RecordOptions& options,
                                          StopDescriptor stop = -1);

}  // namespace toktier::io
