#include "apps/common/progress.hpp"
#include "apps/common/signals.hpp"
#include "apps/replay/output.hpp"
#include "apps/replay/run.hpp"
#include "apps/replay/timed_report.hpp"
#include "apps/replay/work_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace toktier::replay_app {
namespace {

using cli::ExitCode;
using replay::LoopPlan;

LoopPlan plan_of(const Options& options, const cli::CommonOptions& common, double rate) {
  const TimedOptions& t = options.replay.timed;
  LoopPlan plan;
  plan.rate = rate;
  plan.arrival = rate <= 0                ? LoopPlan::Arrival::trace
                 : t.arrival == "uniform" ? LoopPlan::Arrival::uniform
                                          : LoopPlan::Arrival::poisson;
  plan.time_scale = t.time_scale;
  plan.seconds = t.seconds > 0 ? t.seconds : rate > 0 ? 10 : 0;
  plan.warmup_seconds = t.warmup;
  plan.open = t.open;
  plan.seed = common.seed;
  plan.threads = common.jobs;
  return plan;
}

TimedReport measure(ReplayModel& model, const std::vector<replay::WorkSession>& works,
                    const LoopPlan& plan, const std::vector<replay::Objective>& objectives) {
  TimedReport report;
  report.model = model.name();
  report.plan = plan;
  report.objectives = objectives;
  const replay::Schedule schedule = replay::plan_loop(works, plan);
  report.runs = schedule.runs.size();
  report.without_time = schedule.without_time;
  report.result =
      replay::run_loop(model.tokenizer(), model.driver_options().make, model.driver_options().cold,
                       works, schedule, plan, &cli::stop_flag());
  summarise(report);
  return report;
}

/// Rates upward until the work no longer keeps up.
std::string sweep_text(const std::vector<TimedReport>& reports, const std::string& model) {
  double best = 0;
  for (const TimedReport& r : reports)
    if (r.model == model && r.verdict == "met") best = std::max(best, r.plan.rate);
  if (best == 0) return fmt::format("{}: no rate meets the objective\n", model);
  return fmt::format("{}: the highest rate that meets the objective is {:g}/s\n", model, best);
}

}  // namespace

ExitCode run_timed(const Options& options, const cli::CommonOptions& common,
                   const std::vector<std::string>& command) {
  cli::finish_on_signal();
  const ReplayFacts facts = make_facts(options, common, command);
  const TimedOptions& t = options.replay.timed;
  if (!common.seed_given && !common.quiet)
    fmt::print(stderr, "toktier-replay: --seed {}\n", common.seed);
  Output out(common);
  cli::Progress progress(common.progress, common.quiet);
  progress.begin("read", "files");
  WorkSource source(options, common, progress);
  std::vector<replay::WorkSession> works;
  while (auto work = source.next()) {
    works.push_back(std::move(*work));
    progress.update(source.files_done(), source.files(), "");
  }
  progress.clear();
  ExitCode code = source.code();
  if (cli::stop_flag()) return code;
  std::vector<replay::Objective> objectives;
  for (const std::string& text : t.objectives) objectives.push_back(replay::parse_objective(text));
  const bool sweep = !t.sweep.empty();
  const std::vector<double> rates =
      sweep ? replay::parse_rates(t.sweep) : std::vector<double>{t.rate};
  out.record(manifest_record(facts));
  std::vector<TimedReport> reports;
  std::string sums;
  std::uint64_t steps = 0;
  for (const std::string& name : options.replay.models) {
    ReplayModel model(name, options.replay, options.encoding, common.seed);
    bool any_met = false;
    progress.begin("timed " + name, "rates");
    for (std::size_t i = 0; i < rates.size() && !cli::stop_flag(); ++i) {
      progress.update(i, rates.size(), fmt::format("{:g}/s", rates[i]));
      reports.push_back(measure(model, works, plan_of(options, common, rates[i]), objectives));
      const TimedReport& last = reports.back();
      out.record(timed_record(facts, last));
      steps += last.result.steps.size();
      any_met = any_met || last.verdict == "met";
      if (last.verdict == "different") code = cli::worse(code, ExitCode::divergence);
      if (!sweep &&
          (last.verdict == "missed" || (last.verdict == "saturated" && !t.objectives.empty())))
        code = cli::worse(code, ExitCode::divergence);
      // What does not keep up at a rate does not at a higher one.
      if (last.verdict == "saturated" || last.verdict == "different") break;
    }
    progress.clear();
    if (!sweep) continue;
    sums += sweep_text(reports, name);
    if (!any_met && !cli::stop_flag()) code = cli::worse(code, ExitCode::divergence);
  }
  if (steps == 0 && !options.allow_empty) code = cli::worse(code, ExitCode::input);
  if (cli::stop_flag()) code = cli::worse(code, ExitCode::stopped);
  out.table(timed_text(reports, !sweep) + sums);
  if (cli::stop_flag()) out.table("stopped early: these numbers are of what was done\n");
  out.commit();
  return code;
}

}  // namespace toktier::replay_app
