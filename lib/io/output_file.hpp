#pragma once
// A file that appears whole or not at all.
//
// Bytes go to a temporary name in the same folder; commit() flushes them to the disk and renames.
// Without commit() the temporary file is removed and an older file of that name stays as it was. A
// name ending in ".zst" is compressed. "-" is standard output, and a target that is no regular file
// (a pipe, /dev/null) is written directly. A symbolic link is written through. Not thread-safe.
// Errors: Error{unavailable} naming file, system reason and bytes written so far (full disk
// included).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace toktier::io {

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  void write(std::string_view bytes);
  /// Hands everything written so far to the system (ends a zstd block, not the frame); for logs
  /// that others follow.
  void flush();
  /// Ends the file. Call once, as the last thing; write() after it is Error{internal}.
  void commit();

  const std::string& path() const;
  std::uint64_t bytes() const;  ///< given to write() so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::io
