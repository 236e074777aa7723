#include "report/table.hpp"

#include "apps/bench/records.hpp"
#include "apps/bench/summary.hpp"

#include <fmt/format.h>

namespace toktier::bench {
namespace {

/// Three digits that mean something: 0.083, 4.21, 87.3, 412.
std::string short_number(double value) {
  const int places = value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return fmt::format("{:.{}f}", value, places);
}

std::string rate_cell(std::uint64_t bytes, const std::optional<Spread>& seconds) {
  return seconds ? short_number(rate(bytes, seconds->median)) : "-";
}

/// Wall time (processor time).
std::string milliseconds_cell(const std::optional<Spread>& wall, const std::optional<Spread>& cpu) {
  if (!wall || !cpu) return "-";
  return fmt::format("{:.0f} ({:.0f})", wall->median * 1e3, cpu->median * 1e3);
}

std::string times_cell(const std::optional<Spread>& times) {
  if (!times) return "-";
  return fmt::format("{} ({}..{})", short_number(times->median), short_number(times->least),
                     short_number(times->most));
}

std::string list(const std::vector<TokenId>& ids) {
  std::string text;
  for (const TokenId id : ids) text += fmt::format("{}{}", text.empty() ? "" : " ", id);
  return text.empty() ? "(end)" : text;
}

std::string not_timed(const Lane& lane) {
  if (lane.standing == Standing::measured) return {};
  std::string text =
      fmt::format("{} {}: {}\n", lane.entry.name, name_of(lane.standing), lane.reason);
  if (lane.difference && lane.difference->documents > 0) {
    const Difference& d = *lane.difference;
    text += fmt::format("  {} document{}; first: {}, id {}\n    ours    {}\n    theirs  {}\n",
                        d.documents, d.documents == 1 ? " differs" : "s differ", d.document,
                        d.position, list(d.ours), list(d.theirs));
  }
  return text;
}

/// One thread was asked for; a contestant whose processor time is above its wall time used more.
std::string thread_warning(const Lane& lane, const LaneSummary& s) {
  constexpr double kMoreThanOne = 1.2;
  if (!s.first_cpu || s.first_cpu->median < kMoreThanOne * s.first_wall->median) return {};
  return fmt::format(
      "warning: {} used more than one thread: {:.2f} times the wall time of its first pass\n",
      lane.entry.name, s.first_cpu->median / s.first_wall->median);
}

std::string heading(const Report& r) {
  const Measurement& m = r.measurement;
  return fmt::format("{}  {}  {} bytes, {} documents, {} ids; {}\n", r.model, r.texts->name,
                     report::grouped(r.texts->bytes), report::grouped(r.texts->texts.size()),
                     report::grouped(m.ids), r.info.fingerprint);
}

std::string footing(const Report& r) {
  const Measurement& m = r.measurement;
  std::string text = fmt::format(
      "  MB/s of wall time and (cpu) of processor time, medians of {} fresh processes; later: {} "
      "passes over the same text\n"
      "  ours is .. times as fast: processor time of the same round, median (least..most)\n",
      r.plan.samples, r.plan.passes);
  if (m.first_call_text_bytes > 0) {
    text += fmt::format("  first call: a whole process on {} bytes\n",
                        report::grouped(m.first_call_text_bytes));
  }
  text += fmt::format("  {}; {} processors; {}; load {:.2f} before, {:.2f} after; {} s; seed {}\n",
                      r.machine.cpu, r.machine.processors, r.machine.flags, r.load_begin[0],
                      r.load_end[0], static_cast<int>(r.seconds), r.plan.seed);
  text += fmt::format("  text sha256 {}\n", r.texts->sha256);
  if (r.load_begin[0] > r.machine.allowed || r.load_end[0] > r.machine.allowed) {
    text += "warning: the machine was busy with other work; trust processor time only\n";
  }
  if (r.program.find("\"build\":\"Debug\"") != std::string::npos ||
      r.program.find("\"sanitizers\":\"\"") == std::string::npos) {
    text += "warning: this build is not optimised; its times mean nothing\n";
  }
  if (m.stopped) text += "stopped early: the samples until then\n";
  return text;
}

}  // namespace

std::string table(const Report& r) {
  using Align = report::Table::Align;
  report::Table rows({{"contestant"},
                      {"version"},
                      {"first MB/s", Align::right},
                      {"(cpu)", Align::right},
                      {"later MB/s", Align::right},
                      {"(cpu)", Align::right},
                      {"ours is .. times: first", Align::right},
                      {"later", Align::right},
                      {"load ms (cpu)", Align::right},
                      {"first call ms (cpu)", Align::right}});
  std::string notes;
  const std::vector<Lane>& lanes = r.measurement.lanes;
  const std::uint64_t bytes = r.texts->bytes;
  for (const Lane& lane : lanes) {
    notes += not_timed(lane);
    if (lane.standing != Standing::measured) {
      rows.add({lane.entry.name, lane.facts.version, name_of(lane.standing)});
      continue;
    }
    const LaneSummary s = summarise(lane, lanes.front());
    const bool own = &lane == &lanes.front();
    rows.add({lane.entry.name, lane.facts.version, rate_cell(bytes, s.first_wall),
              rate_cell(bytes, s.first_cpu), rate_cell(bytes, s.later_wall),
              rate_cell(bytes, s.later_cpu), own ? "" : times_cell(s.times_first_cpu),
              own ? "" : times_cell(s.times_later_cpu), milliseconds_cell(s.load_wall, s.load_cpu),
              milliseconds_cell(s.call_wall, s.call_cpu)});
    notes += thread_warning(lane, s);
  }
  return heading(r) + rows.text() + notes + footing(r);
}

}  // namespace toktier::bench
