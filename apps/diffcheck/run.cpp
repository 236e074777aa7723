#include "apps/diffcheck/run.hpp"

#include "apps/common/output.hpp"
#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "apps/diffcheck/contest.hpp"
#include "apps/diffcheck/job.hpp"
#include "apps/diffcheck/records.hpp"
#include "diff/check_table.hpp"
#include "diff/engine_table.hpp"
#include "io/output_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>
#include <unistd.h>

namespace toktier::diffcheck {
namespace {

using cli::ExitCode;
using cli::Format;

/// Everything a run writes, in the chosen form.
class Reporter {
 public:
  Reporter(const RunFacts& facts, cli::Progress& progress) : facts_(facts), progress_(progress) {
    if (!facts.common->output.empty()) file_.emplace(facts.common->output);
  }

  /// Once the command line is known to make sense.
  void begin(const Preface& preface) {
    record(manifest_record(facts_));
    if (preface.record.empty()) return;
    record(preface.record);
    if (facts_.common->format != Format::table) return;
    stdout_.write(preface.text);
    stdout_.flush();
  }

  void divergence(const Row& row, const diff::Divergence& found) {
    progress_.clear();
    record(divergence_record(facts_, row, found));
    if (facts_.common->format == Format::table) {
      stdout_.write(divergence_text(facts_, row, found));
      stdout_.flush();
    }
  }

  void verdict(const Row& row) {
    progress_.clear();
    record(verdict_record(facts_, row));
  }

  void finish(const std::vector<Row>& rows, ExitCode code, double seconds) {
    record(summary_record(facts_, rows, code, seconds));
    if (facts_.common->format == Format::table) stdout_.write(rows_text(rows));
    if (facts_.common->format == Format::json) {
      stdout_.write("[");
      for (std::size_t i = 0; i < records_.size(); ++i)
        stdout_.write((i > 0 ? ",\n " : "") + records_[i]);
      stdout_.write("]\n");
    }
    stdout_.flush();
    if (file_) file_->commit();
  }

  bool closed() const { return stdout_.closed(); }

 private:
  void record(const std::string& line) {
    if (file_) file_->write(line + '\n');
    if (facts_.common->format == Format::jsonl) {
      stdout_.write(line + '\n');
      stdout_.flush();
    } else if (facts_.common->format == Format::json) {
      records_.push_back(line);
    }
  }

  const RunFacts& facts_;
  cli::Progress& progress_;
  cli::StandardOutput stdout_;
  std::optional<io::OutputFile> file_;
  std::vector<std::string> records_;
};

class RunSession {
 public:
  RunSession(const RunOptions& options, const cli::CommonOptions& common, const RunFacts& facts)
      : options_(options),
        common_(common),
        progress_(common.progress, common.quiet),
        reporter_(facts, progress_) {}

  ExitCode run(const Preface& preface);

 private:
  void run_job(const Job& job);
  void compare(const Job& job, const LoadedModel& model, const std::string& against, Row& row);
  void fail(Row row, const Error& error, bool optional, const char* who);
  void finish_row(Row& row);
  ExitCode total() const;

  const RunOptions& options_;
  const cli::CommonOptions& common_;
  cli::Progress progress_;
  Reporter reporter_;
  std::vector<Row> rows_;
  bool ways_gone_ = false;
};

ExitCode RunSession::run(const Preface& preface) {
  const auto start = std::chrono::steady_clock::now();
  diff::find_engine(options_.engine);
  for (const std::string& against : options_.against) diff::find_engine(against);
  diff::parse_checks(options_.checks);
  const Jobs jobs = plan_jobs(options_);
  reporter_.begin(preface);
  if (!jobs.left_out.empty()) {
    Row row;
    row.model = "(no model)";
    row.status = "skipped";
    row.reason = "cases that no model of this run takes";
    row.verdict.skipped = jobs.left_out;
    reporter_.verdict(row);
    rows_.push_back(std::move(row));
  }
  for (const Job& job : jobs.jobs) {
    if (cli::stop_flag() || reporter_.closed()) break;
    run_job(job);
  }
  const ExitCode code = total();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  reporter_.finish(rows_, code, seconds);
  return code;
}

void RunSession::fail(Row row, const Error& error, bool optional, const char* who) {
  if (error.code() == ErrorCode::usage || error.code() == ErrorCode::internal) throw error;
  row.status = error.code() == ErrorCode::unsupported ? "refused"
               : error.code() == ErrorCode::input     ? "damaged"
                                                      : "unavailable";
  row.reason = fmt::format("{}: {}", who, error.what());
  row.code = optional || options_.ignore_missing ? ExitCode::ok : cli::exit_code_of(error.code());
  reporter_.verdict(row);
  rows_.push_back(std::move(row));
}

void RunSession::run_job(const Job& job) {
  std::vector<std::string> against = options_.against;
  if (!job.quoted_name.empty()) against.insert(against.begin(), "quoted");
  if (against.empty()) against = references_of(options_);

  Row row;
  row.model = job.model;
  row.engine.row = options_.engine;
  std::optional<LoadedModel> model;
  try {
    model.emplace(job.model, options_, against);
  } catch (const Error& error) {
    fail(std::move(row), error, job.optional, "the engine");
    return;
  }
  ways_gone_ = false;
  for (const std::string& name : against) {
    if (cli::stop_flag() || reporter_.closed()) return;
    row.reference = {};
    row.reference.row = name;
    try {
      compare(job, *model, name, row);
      finish_row(row);
    } catch (const Error& error) {
      fail(row, error, job.optional, "the reference");
    }
  }
}

void RunSession::compare(const Job& job, const LoadedModel& model, const std::string& against,
                         Row& row) {
  std::optional<Contest> contest;
  if (against == "quoted") {
    contest.emplace(options_, common_, model, job.quoted_name, job.quoted);
  } else {
    contest.emplace(options_, common_, model, against);
  }
  row.engine = contest->engine();
  row.reference = contest->reference();
  diff::CampaignPlan plan = contest->plan();
  // Ways need no reference: they are gone once for a model, in the first comparison that is made.
  if (ways_gone_) plan.parts &= diff::kFirstWay - 1;
  const auto source = open_documents(options_, job, model.tokenizer, common_.seed);
  progress_.begin(job.model + " against " + row.reference.row, progress_unit(options_, job));
  plan.on_divergence = [&](const diff::Divergence& found) { reporter_.divergence(row, found); };
  plan.on_progress = [&](const diff::Verdict& verdict, std::uint64_t position) {
    progress_.update(position, source->total(),
                     fmt::format("{} differences", verdict.difference_count()));
  };
  row.verdict = diff::run_campaign(plan, *source);
  ways_gone_ = true;
}

void RunSession::finish_row(Row& row) {
  const diff::Verdict& v = row.verdict;
  row.reason.clear();
  row.code = ExitCode::ok;
  if (v.difference_count() > 0) {
    row.status = "different";
    row.code = options_.no_gate ? ExitCode::ok : ExitCode::divergence;
  } else if (v.checks() == 0) {
    row.status = "nothing checked";
    row.code = options_.allow_empty ? ExitCode::ok : ExitCode::input;
  } else {
    row.status = v.stopped ? "stopped" : "equal";
  }
  if (v.failed_inputs > 0) {
    row.reason = fmt::format("{} damaged files or records left out", v.failed_inputs);
    row.code = cli::worse(row.code, ExitCode::input);
  }
  if (v.stopped) row.code = cli::worse(row.code, ExitCode::stopped);
  reporter_.verdict(row);
  rows_.push_back(row);
}

ExitCode RunSession::total() const {
  ExitCode code = ExitCode::ok;
  std::uint64_t checks = 0;
  for (const Row& row : rows_) {
    code = cli::worse(code, row.code);
    checks += row.verdict.checks();
  }
  if (cli::stop_flag() || reporter_.closed()) code = cli::worse(code, ExitCode::stopped);
  if (checks == 0 && !options_.allow_empty && code == ExitCode::ok) code = ExitCode::input;
  return code;
}

}  // namespace

ExitCode run(const RunOptions& options, const cli::CommonOptions& common,
             const std::vector<std::string>& command, const Preface& preface) {
  cli::finish_on_signal();
  RunFacts facts;
  const std::time_t now = std::time(nullptr);
  facts.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  facts.id = fmt::format("{:%Y%m%dT%H%M%S}-{}", fmt::gmtime(now), ::getpid());
  facts.command = command;
  facts.options = &options;
  facts.common = &common;
  const bool drawn = diff::parse_checks(options.checks) >= diff::kFirstWay;
  if (!common.quiet && !common.seed_given && (drawn || !options.generators.empty())) {
    fmt::print(stderr, "toktier-diffcheck: --seed {}\n", common.seed);
  }
  return RunSession(options, common, facts).run(preface);
}

}  // namespace toktier::diffcheck
