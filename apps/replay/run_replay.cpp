#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "apps/replay/html_page.hpp"
#include "apps/replay/output.hpp"
#include "apps/replay/replay_report.hpp"
#include "apps/replay/run.hpp"
#include "apps/replay/work_source.hpp"
#include "flow/ordered.hpp"
#include "replay/workload_lines.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

namespace toktier::replay_app {
namespace {

using cli::ExitCode;

// Differences with steps to show them; of further ones only the first lines.
constexpr std::uint64_t kDescribed = 20;

/// A workload, and what each model made of it.
struct Item {
  replay::WorkSession work;
  std::size_t files_done = 0;
  std::vector<replay::WorkOutcome> outcomes;                       // by model
  std::vector<std::vector<std::vector<replay::WorkStep>>> repros;  // by model and difference
};

class Job {
 public:
  Job(const Options& options, const cli::CommonOptions& common,
      const std::vector<std::string>& command)
      : options_(options),
        common_(common),
        out_(common),
        progress_(common.progress, common.quiet),
        facts_(make_facts(options, common, command)) {}
  ExitCode run();

 private:
  void load_models();
  void carry_out();
  void work(Item& item);
  void write(Item& item);
  void show(ShownDifference&& shown);
  void judge(ReplayRow& row) const;

  const Options& options_;
  const cli::CommonOptions& common_;
  Output out_;
  cli::Progress progress_;
  ReplayFacts facts_;
  std::vector<std::unique_ptr<ReplayModel>> models_;
  std::vector<ReplayRow> rows_;
  std::vector<std::string> policies_;
  std::optional<WorkSource> source_;
  std::uint64_t differences_ = 0, steps_ = 0, bytes_ = 0;
};

void Job::load_models() {
  policies_ =
      options_.replay.steps ? std::vector<std::string>{"steps"} : options_.replay.policies();
  std::vector<ReplayRow> refused;
  for (const std::string& name : options_.replay.models) {
    try {
      models_.push_back(
          std::make_unique<ReplayModel>(name, options_.replay, options_.encoding, common_.seed));
    } catch (const Error& error) {
      if (!options_.replay.ignore_missing || error.code() == ErrorCode::usage ||
          error.code() == ErrorCode::internal)
        throw;
      ReplayRow row;
      row.model = name;
      row.policy = "-";
      row.status = error.code() == ErrorCode::unsupported ? "refused" : "missing";
      row.reason = error.what();
      refused.push_back(std::move(row));
      continue;
    }
    for (const std::string& policy : policies_) {
      ReplayRow row;
      row.model = name;
      row.policy = policy;
      row.loaded = models_.back().get();
      rows_.push_back(std::move(row));
    }
  }
  rows_.insert(rows_.end(), refused.begin(), refused.end());
}

void Job::work(Item& item) {
  for (const auto& model : models_) {
    std::unique_ptr<replay::Driver> driver = model->take();
    item.outcomes.push_back(driver->run(item.work));
    auto& repros = item.repros.emplace_back();
    for (const replay::WorkDifference& difference : item.outcomes.back().differences) {
      if (repros.size() < kDescribed) repros.push_back(driver->repro(item.work, difference));
    }
    model->give(std::move(driver));
  }
}

void Job::show(ShownDifference&& shown) {
  progress_.clear();
  if (!options_.replay.repro.empty() && !shown.repro.empty()) {
    std::filesystem::create_directories(options_.replay.repro);
    const std::filesystem::path path = std::filesystem::path(options_.replay.repro) /
                                       fmt::format("difference-{}.jsonl", shown.number);
    io::OutputFile file(path.string());
    for (const replay::WorkStep& step : shown.repro) file.write(replay::workload_line(step) + '\n');
    file.commit();
    shown.repro_file = path.string();
  }
  if (out_.wants_records()) out_.record(difference_record(facts_, shown));
  out_.table(difference_text(facts_, shown));
}

void Job::write(Item& item) {
  const auto policy = static_cast<std::size_t>(
      std::find(policies_.begin(), policies_.end(), item.work.policy) - policies_.begin());
  for (std::size_t m = 0; m < models_.size(); ++m) {
    const replay::WorkOutcome& outcome = item.outcomes[m];
    rows_[m * policies_.size() + policy].totals.add(outcome);
    steps_ += outcome.steps.size();
    for (std::size_t i = 0; i < outcome.differences.size(); ++i) {
      if (++differences_ > kDescribed) continue;
      ShownDifference shown;
      shown.model = models_[m].get();
      shown.work = &item.work;
      shown.difference = &outcome.differences[i];
      shown.number = differences_;
      if (i < item.repros[m].size()) shown.repro = std::move(item.repros[m][i]);
      show(std::move(shown));
    }
  }
  progress_.update(item.files_done, source_->files(),
                   fmt::format("{} steps, {} differences", steps_, differences_));
}

void Job::judge(ReplayRow& row) const {
  if (row.loaded == nullptr) return;
  const replay::ReplayTotals& t = row.totals;
  row.status = t.differences > 0                  ? "different"
               : cli::stop_flag()                 ? "stopped"
               : t.verified() > 0                 ? "equal"
               : options_.replay.verify == "none" ? "not verified"
                                                  : "nothing verified";
  if (t.differences > 0) row.code = ExitCode::divergence;
  if (row.status == "nothing verified" && !options_.allow_empty) row.code = ExitCode::input;
  if (!row.loaded->refusal().empty())
    row.reason = "whole documents are encoded: " + row.loaded->refusal();
  if (const std::string lost = row.loaded->reference_lost(); !lost.empty()) {
    row.reason = "the reference was lost: " + lost;
    row.code = cli::worse(row.code, ExitCode::unavailable);
  }
}

void Job::carry_out() {
  progress_.begin("replay", "files");
  flow::run_ordered<Item>(
      common_.jobs,
      [&]() -> std::shared_ptr<Item> {
        if (out_.closed()) return nullptr;
        auto work = source_->next();
        if (!work) return nullptr;
        auto item = std::make_shared<Item>();
        item->work = std::move(*work);
        item->files_done = source_->files_done();
        return item;
      },
      [this](Item& item) { this->work(item); }, [this](Item& item) { write(item); });
  progress_.clear();
}

ExitCode Job::run() {
  const auto start = std::chrono::steady_clock::now();
  cli::finish_on_signal();
  if (!common_.seed_given && !common_.quiet)
    fmt::print(stderr, "toktier-replay: --seed {}\n", common_.seed);
  load_models();
  out_.record(manifest_record(facts_));
  source_.emplace(options_, common_, progress_);
  if (!models_.empty()) carry_out();
  ExitCode code = models_.empty() ? ExitCode::input : source_->code();
  for (ReplayRow& row : rows_) {
    judge(row);
    code = cli::worse(code, row.code);
    out_.record(row_record(facts_, row));
  }
  if (out_.closed()) code = cli::worse(code, ExitCode::stopped);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out_.record(summary_record(facts_, rows_, source_->problems(), seconds, code));
  if (!options_.replay.html.empty()) {
    io::OutputFile page(options_.replay.html);
    page.write(html_page(facts_, rows_, seconds));
    page.commit();
  }
  if (source_->rounds() > 0 && !common_.quiet)
    fmt::print(stderr, "toktier-replay: {} calls have lengths only and give no text\n",
               source_->rounds());
  if (differences_ > kDescribed)
    out_.table(fmt::format("{} further differences\n", differences_ - kDescribed));
  out_.table(rows_text(rows_));
  if (cli::stop_flag()) out_.table("stopped early: these numbers are of what was done\n");
  out_.commit();
  return code;
}

}  // namespace

ExitCode run_replay(const Options& options, const cli::CommonOptions& common,
                    const std::vector<std::string>& command) {
  if (options.replay.timed.on) return run_timed(options, common, command);
  return Job(options, common, command).run();
}

}  // namespace toktier::replay_app
