#pragma once
// The files named on the command line, read into a sink, with progress and problems said.

#include "apps/common/program.hpp"
#include "apps/replay/options.hpp"
#include "replay/read.hpp"
#include "replay/record_counts.hpp"

#include <cstdint>

namespace toktier::replay_app {

struct ReadingResult {
  replay::SeriesCounts series;
  bool stopped = false;
};

/// Reads all files. Paths that do not exist are problems like damaged files. With `say` the first
/// problems go to standard error.
ReadingResult read_all_files(const Options& options, const cli::CommonOptions& common,
                             replay::Sink& sink, bool say);

/// 0, or 3 when something was damaged or nothing was there, or 75; complains about an empty input.
cli::ExitCode exit_code_of(const Options& options, const cli::CommonOptions& common,
                           const replay::RecordCounts& counts, const ReadingResult& result);

}  // namespace toktier::replay_app
