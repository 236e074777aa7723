#pragma once
// From files to sessions. Formats are known by content; their list is the table in
// format_table.cpp.

#include "replay/series_joiner.hpp"
#include "replay/sink.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::replay {

struct FormatName {
  std::string_view name, what;
};
/// In the order in which they are tried.
std::vector<FormatName> format_names();

struct ReadOptions {
  std::string format;  ///< of all files; empty: each file's content tells
  bool join = true;    ///< files of one series are one session
  int stop = -1;       ///< io::StopDescriptor: ends reading early
};

/// Reads files one after the other into a sink. Packed files (zstd) are unpacked on the way; memory
/// is that of the longest record. Not thread-safe.
class TranscriptReader {
 public:
  /// Error{usage} for an unknown format.
  TranscriptReader(Sink& sink, const ReadOptions& options);
  ~TranscriptReader();

  /// One file, "-" = standard input. A file that cannot be opened or unpacked, and content that no
  /// format knows, is a problem; nothing is thrown for it.
  void read(const std::string& path);
  /// Bytes in memory as a file of that name.
  void read_bytes(std::string_view bytes, const std::string& name);
  /// After the last file: closes what waits for further files of its series.
  void finish();
  const SeriesCounts& series() const { return joiner_.counts(); }

 private:
  template <class Source>
  void read_source(Source open, const std::string& name);

  SeriesJoiner joiner_;
  ReadOptions options_;
};

}  // namespace toktier::replay
