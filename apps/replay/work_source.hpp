#pragma once
// The workloads of the files on the command line, one at a time.

#include "apps/replay/options.hpp"
#include "apps/replay/reading_job.hpp"
#include "replay/record_counts.hpp"
#include "replay/work_session.hpp"
#include "replay/workload_fan.hpp"

#include <deque>
#include <memory>
#include <optional>

namespace toktier::replay_app {

/// Transcripts rendered and shaped by policies, or with --steps files of steps. Memory: what one
/// file gives. Not thread-safe; all arguments outlive it.
class WorkSource {
 public:
  WorkSource(const Options& options, const cli::CommonOptions& common, cli::Progress& progress);
  ~WorkSource();

  /// The next workload; nothing at the end or after a signal.
  std::optional<replay::WorkSession> next();
  std::size_t files() const;
  std::size_t files_done() const;
  /// Once next() gave nothing: 0, 3 for damaged or missing input, 75 after a signal.
  cli::ExitCode code() const;
  std::uint64_t problems() const;
  std::uint64_t rounds() const;

 private:
  bool read_more();
  bool read_steps();

  const Options& options_;
  const cli::CommonOptions& common_;
  cli::Progress& progress_;
  std::deque<replay::WorkSession> ready_;
  // Transcripts.
  std::optional<replay::ChatTemplate> chat_;
  std::unique_ptr<replay::WorkloadFan> fan_;
  std::unique_ptr<replay::RecordCounts> counts_;
  std::unique_ptr<ReadingJob> job_;
  std::optional<ReadingResult> result_;
  // Steps.
  std::vector<std::string> step_files_;
  std::size_t step_files_done_ = 0;
  std::uint64_t step_problems_ = 0, step_sessions_ = 0;
};

}  // namespace toktier::replay_app
