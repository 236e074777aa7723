#include "replay/open_loop.hpp"
#include "replay/seeded.hpp"
#include "toktier/error.hpp"

#include <algorithm>
#include <cmath>

namespace toktier::replay {
namespace {

/// The next step at or behind `step` that is no close.
std::size_t next_timed(const WorkSession& work, std::size_t step) {
  while (step < work.steps.size() && work.steps[step].op == WorkOp::close) ++step;
  return step;
}

Schedule by_rate(const std::vector<WorkSession>& works, const LoopPlan& plan) {
  Schedule out;
  std::uint64_t state = plan.seed;
  const auto share = [&state] {
    return static_cast<double>(next_random(state) >> 11) / 9007199254740992.0;
  };
  struct Under {
    std::size_t run, step;
  };
  std::vector<Under> under;
  std::size_t next_work = 0;
  const auto begin_one = [&] {
    under.push_back({out.runs.size(), next_timed(works[next_work], 0)});
    out.runs.push_back(next_work);
    next_work = (next_work + 1) % works.size();
  };
  const double end = plan.seconds;
  for (double at = 0;;) {
    at += plan.arrival == LoopPlan::Arrival::poisson ? -std::log(1 - share()) / plan.rate
                                                     : 1 / plan.rate;
    if (at >= end) break;
    while (under.size() < std::max<std::size_t>(plan.open, 1)) begin_one();
    const std::size_t which = next_random(state) % under.size();
    Under& chosen_one = under[which];
    const WorkSession& work = works[out.runs[chosen_one.run]];
    out.steps.push_back({static_cast<std::int64_t>(at * 1e9), chosen_one.run, chosen_one.step});
    chosen_one.step = next_timed(work, chosen_one.step + 1);
    if (chosen_one.step == work.steps.size()) {
      under[which] = under.back();
      under.pop_back();
    }
  }
  return out;
}

Schedule by_trace(const std::vector<WorkSession>& works, const LoopPlan& plan) {
  Schedule out;
  std::int64_t first = INT64_MAX;
  for (const WorkSession& work : works)
    for (const WorkStep& step : work.steps)
      if (step.time_ms) first = std::min(first, *step.time_ms);
  for (std::size_t w = 0; w < works.size(); ++w) {
    const std::vector<WorkStep>& steps = works[w].steps;
    const auto timed = [](const WorkStep& step) { return step.time_ms.has_value(); };
    const auto found = std::find_if(steps.begin(), steps.end(), timed);
    if (found == steps.end()) {
      ++out.without_time;
      continue;
    }
    const std::size_t run = out.runs.size();
    out.runs.push_back(w);
    std::int64_t now = *found->time_ms;  // steps before the first time come with it
    for (std::size_t i = next_timed(works[w], 0); i < steps.size();
         i = next_timed(works[w], i + 1)) {
      if (steps[i].time_ms) now = std::max(now, *steps[i].time_ms);
      const double ns = static_cast<double>(now - first) * 1e6 / plan.time_scale;
      if (plan.seconds > 0 && ns >= plan.seconds * 1e9) break;
      out.steps.push_back({static_cast<std::int64_t>(ns), run, i});
    }
  }
  std::stable_sort(
      out.steps.begin(), out.steps.end(),
      [](const PlannedStep& a, const PlannedStep& b) { return a.start_ns < b.start_ns; });
  return out;
}

}  // namespace

Schedule plan_loop(const std::vector<WorkSession>& works, const LoopPlan& plan) {
  const bool any = std::any_of(works.begin(), works.end(), [](const WorkSession& work) {
    return next_timed(work, 0) < work.steps.size();
  });
  if (!any) throw Error(ErrorCode::usage, "nothing to plan: no session has a step");
  Schedule out =
      plan.arrival == LoopPlan::Arrival::trace ? by_trace(works, plan) : by_rate(works, plan);
  if (out.steps.empty()) {
    throw Error(ErrorCode::usage, plan.arrival == LoopPlan::Arrival::trace
                                      ? "no step has a time: --arrival trace needs transcripts "
                                        "with times"
                                      : "no step falls into the time given");
  }
  return out;
}

}  // namespace toktier::replay
