#include "apps/replay/timed_report.hpp"

#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace toktier::replay_app {
namespace {

using replay::Distribution;
using report::grouped;
using report::JsonWriter;
using Align = report::Table::Align;

constexpr std::array<std::pair<std::string_view, double>, 6> kQuantiles = {
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}, {"max", 1}}};

std::uint64_t positive(std::int64_t ns) { return ns < 0 ? 0 : static_cast<std::uint64_t>(ns); }

void write_times(JsonWriter& json, std::string_view name, const Distribution& values) {
  json.key(name).begin_object().field("count", values.count()).field("sum", values.sum());
  for (const auto& [quantile, share] : kQuantiles) json.field(quantile, values.quantile(share));
  json.end_object();
}

std::string microseconds(const Distribution& values, double share) {
  return fmt::format("{:.1f}", static_cast<double>(values.quantile(share)) / 1000);
}

/// By step and band of the text before.
std::map<std::pair<replay::WorkOp, std::size_t>, Distribution> by_band(const TimedReport& report) {
  std::map<std::pair<replay::WorkOp, std::size_t>, Distribution> out;
  for (const replay::TimedStep& step : report.result.steps)
    out[{step.op, replay::band_of(step.before)}].add(positive(step.ended_ns - step.planned_ns));
  return out;
}

std::string_view arrival_name(replay::LoopPlan::Arrival arrival) {
  switch (arrival) {
    case replay::LoopPlan::Arrival::poisson:
      return "poisson";
    case replay::LoopPlan::Arrival::uniform:
      return "uniform";
    default:
      return "trace";
  }
}

double carried_out_rate(const TimedReport& report) {
  const double seconds =
      static_cast<double>(std::max(report.result.ended_ns, report.result.planned_end_ns)) / 1e9 -
      report.plan.warmup_seconds;
  return seconds <= 0 ? 0 : static_cast<double>(report.result.steps.size()) / seconds;
}

}  // namespace

void summarise(TimedReport& report) {
  for (const replay::TimedStep& step : report.result.steps) {
    report.latency.add(positive(step.ended_ns - step.planned_ns));
    report.service.add(positive(step.ended_ns - step.began_ns));
    report.lateness.add(positive(step.began_ns - step.planned_ns));
  }
  bool met = true;
  for (const replay::Objective& objective : report.objectives)
    met = met && objective.met(report.latency);
  report.verdict = report.result.different_sessions > 0 ? "different"
                   : report.result.saturated()          ? "saturated"
                   : report.objectives.empty()          ? "-"
                   : met                                ? "met"
                                                        : "missed";
}

std::string timed_record(const ReplayFacts& facts, const TimedReport& r) {
  std::string line;
  JsonWriter json(line);
  begin_record(json, facts, "timed");
  json.field("model", r.model).field("target", facts.options->replay.target);
  json.field("arrival", arrival_name(r.plan.arrival)).field("rate", r.plan.rate);
  json.field("time_scale", r.plan.time_scale).field("planned_seconds", r.plan.seconds);
  json.field("warmup_seconds", r.plan.warmup_seconds).field("threads", r.plan.threads);
  json.field("open", r.plan.open).field("runs", r.runs).field("without_time", r.without_time);
  json.field("steps", r.result.steps.size()).field("warmup_steps", r.result.warmup_steps);
  json.field("refused", r.result.refused).field("rate_carried_out", carried_out_rate(r));
  json.field("planned_end_ns", positive(r.result.planned_end_ns));
  json.field("ended_ns", positive(r.result.ended_ns)).field("stopped", r.result.stopped);
  write_times(json, "latency_ns", r.latency);
  write_times(json, "service_ns", r.service);
  write_times(json, "lateness_ns", r.lateness);
  json.key("latency_by_band").begin_array();
  for (const auto& [key, values] : by_band(r)) {
    json.begin_object().field("op", replay::name_of(key.first));
    json.field("text_before", replay::band_name(key.second));
    write_times(json, "latency_ns", values);
    json.end_object();
  }
  json.end_array().key("objectives").begin_array();
  for (const replay::Objective& objective : r.objectives) {
    json.begin_object().field("text", objective.text);
    json.field("reached_ns", r.latency.quantile(objective.share));
    json.field("met", objective.met(r.latency)).end_object();
  }
  json.end_array().field("saturated", r.result.saturated()).field("verdict", r.verdict);
  json.field("verified_sessions", r.result.verified_sessions);
  json.field("different_sessions", r.result.different_sessions);
  json.field("first_difference", r.result.first_difference).end_object();
  return line;
}

std::string timed_text(const std::vector<TimedReport>& reports, bool bands) {
  report::Table table({{"model", Align::left},
                       {"arrival", Align::left},
                       {"rate", Align::right},
                       {"carried out", Align::right},
                       {"steps", Align::right},
                       {"sessions verified", Align::right},
                       {"different", Align::right},
                       {"latency us p50", Align::right},
                       {"p90", Align::right},
                       {"p99", Align::right},
                       {"p99.9", Align::right},
                       {"max", Align::right},
                       {"service p50", Align::right},
                       {"p99", Align::right},
                       {"late p99", Align::right},
                       {"verdict", Align::left}});
  for (const TimedReport& r : reports) {
    table.add({r.model, std::string(arrival_name(r.plan.arrival)),
               r.plan.arrival == replay::LoopPlan::Arrival::trace
                   ? fmt::format("x{:g}", r.plan.time_scale)
                   : fmt::format("{:g}/s", r.plan.rate),
               fmt::format("{:.0f}/s", carried_out_rate(r)), grouped(r.result.steps.size()),
               grouped(r.result.verified_sessions), grouped(r.result.different_sessions),
               microseconds(r.latency, 0.5), microseconds(r.latency, 0.9),
               microseconds(r.latency, 0.99), microseconds(r.latency, 0.999),
               microseconds(r.latency, 1), microseconds(r.service, 0.5),
               microseconds(r.service, 0.99), microseconds(r.lateness, 0.99), r.verdict});
  }
  std::string text = table.text();
  for (const TimedReport& r : reports) {
    for (const replay::Objective& objective : r.objectives) {
      if (bands)
        text += fmt::format("{}: {} is {} us\n", objective.text,
                            objective.met(r.latency) ? "met" : "missed",
                            microseconds(r.latency, objective.share));
    }
    if (!r.result.first_difference.empty()) text += r.result.first_difference + "\n";
    if (r.without_time > 0)
      text += fmt::format("{} sessions without times left out\n", grouped(r.without_time));
  }
  if (!bands) return text;
  report::Table details({{"model", Align::left},
                         {"step", Align::left},
                         {"text before", Align::left},
                         {"count", Align::right},
                         {"latency us p50", Align::right},
                         {"p90", Align::right},
                         {"p99", Align::right},
                         {"max", Align::right}});
  for (const TimedReport& r : reports) {
    for (const auto& [key, values] : by_band(r)) {
      details.add({r.model, std::string(replay::name_of(key.first)),
                   std::string(replay::band_name(key.second)), grouped(values.count()),
                   microseconds(values, 0.5), microseconds(values, 0.9), microseconds(values, 0.99),
                   microseconds(values, 1)});
    }
  }
  return text + "\n" + details.text();
}

}  // namespace toktier::replay_app
