#include "apps/replay/work_source.hpp"

#include "apps/common/signals.hpp"
#include "replay/workload_lines.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace toktier::replay_app {

WorkSource::WorkSource(const Options& options, const cli::CommonOptions& common,
                       cli::Progress& progress)
    : options_(options), common_(common), progress_(progress) {
  if (options.replay.steps) {
    io::InputOptions inputs = options.inputs;
    inputs.recursive = true;
    step_files_ = io::list_inputs(inputs);
    return;
  }
  chat_ = replay::find_template(options.chat_template);
  replay::WorkloadOptions how;
  how.limits.budget = options.budget;
  how.seed = common.seed;
  fan_ = std::make_unique<replay::WorkloadFan>(
      options.replay.policies(), *chat_, how,
      [this](replay::WorkSession&& work) { ready_.push_back(std::move(work)); });
  counts_ = std::make_unique<replay::RecordCounts>(*fan_);
  job_ = std::make_unique<ReadingJob>(options, common, *counts_, true, progress);
}

WorkSource::~WorkSource() = default;

std::size_t WorkSource::files() const { return job_ ? job_->files() : step_files_.size(); }
std::size_t WorkSource::files_done() const { return job_ ? job_->done() : step_files_done_; }
std::uint64_t WorkSource::rounds() const { return fan_ ? fan_->rounds() : 0; }
std::uint64_t WorkSource::problems() const {
  return counts_ ? counts_->problems() : step_problems_;
}

bool WorkSource::read_steps() {
  if (step_files_done_ == step_files_.size()) return false;
  const std::string& file = step_files_[step_files_done_++];
  replay::WorkCollector collector("steps", [this](replay::WorkSession&& work) {
    ++step_sessions_;
    ready_.push_back(std::move(work));
  });
  try {
    replay::read_workload(file, collector, cli::stop_descriptor());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) throw;
    if (cli::stop_flag()) return false;
    ++step_problems_;
    progress_.clear();
    fmt::print(stderr, "toktier-replay: {}\n", error.what());
  }
  collector.finish();  // steps before a damaged one are carried out
  for (replay::WorkSession& work : ready_)
    if (work.file.empty()) work.file = file;
  return true;
}

bool WorkSource::read_more() {
  if (cli::stop_flag()) return false;
  if (!job_) return read_steps();
  if (job_->next()) return true;
  if (result_) return false;
  result_ = job_->finish();
  return true;
}

std::optional<replay::WorkSession> WorkSource::next() {
  while (ready_.empty())
    if (!read_more()) return std::nullopt;
  if (cli::stop_flag()) return std::nullopt;
  replay::WorkSession work = std::move(ready_.front());
  ready_.pop_front();
  return work;
}

cli::ExitCode WorkSource::code() const {
  if (job_) {
    return exit_code_of(options_, common_, *counts_,
                        {result_ ? result_->series : replay::SeriesCounts{}, cli::stop_flag()});
  }
  cli::ExitCode code = step_problems_ > 0 ? cli::ExitCode::input : cli::ExitCode::ok;
  if (cli::stop_flag()) return cli::worse(code, cli::ExitCode::stopped);
  if (step_sessions_ == 0 && !options_.allow_empty) code = cli::ExitCode::input;
  return code;
}

}  // namespace toktier::replay_app
