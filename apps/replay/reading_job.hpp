#pragma once
// The files named on the command line, read into a sink, with progress and problems said.

#include "apps/common/program.hpp"
#include "apps/common/progress.hpp"
#include "apps/replay/options.hpp"
#include "replay/read.hpp"
#include "replay/record_counts.hpp"

#include <cstdint>
#include <memory>

namespace toktier::replay_app {

struct ReadingResult {
  replay::SeriesCounts series;
  bool stopped = false;
};

/// Reading one file after the other. Paths that do not exist are problems like damaged files.
class ReadingJob {
 public:
  /// With `say` the first problems go to standard error. All arguments outlive this.
  ReadingJob(const Options& options, const cli::CommonOptions& common, replay::Sink& sink, bool say,
             cli::Progress& progress);
  ~ReadingJob();
  std::size_t files() const;
  std::size_t done() const;
  /// The next file. False when there is none, or a signal came.
  bool next();
  /// After the last one: closes what waits for further files.
  ReadingResult finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads all files.
ReadingResult read_all_files(const Options& options, const cli::CommonOptions& common,
                             replay::Sink& sink, bool say);

/// 0, or 3 when something was damaged or nothing was there, or 75; complains about an empty input.
cli::ExitCode exit_code_of(const Options& options, const cli::CommonOptions& common,
                           const replay::RecordCounts& counts, const ReadingResult& result);

}  // namespace toktier::replay_app
