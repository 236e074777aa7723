#include "apps/replay/html_page.hpp"

#include "report/chart.hpp"
#include "report/escape.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>

namespace toktier::replay_app {
namespace {

using replay::Distribution;
using replay::ReplayTotals;
using report::Axis;
using report::Bar;
using report::grouped;
using report::html_escape;
using report::Series;

constexpr std::size_t kMostDots = 1500;
constexpr std::uint64_t kLeastForP99 = 20;

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2330; --soft: #5b6576; --line: #dfe3ea;
  --series-1: #2a6fdb; --series-2: #d9822b; --series-3: #2f9e67; --series-4: #8a56c2; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181f; --ink: #e6eaf1; --soft: #98a3b5;
  --line: #2b323e; --series-1: #6ea8ff; --series-2: #f0a860; --series-3: #5cc995; --series-4: #b793e6; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 820px;
  margin: 2rem auto; padding: 0 1rem; }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
p, figcaption { color: var(--soft); }
p b { color: var(--ink); }
.tables { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px 3px 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
th.left, td.left { text-align: left; }
figure { margin: 1.5rem 0; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--soft); }
svg text.title { fill: var(--ink); font-size: 14px; font-weight: 600; }
svg .grid { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 2; }
.s1 { fill: var(--series-1); } .l1 { stroke: var(--series-1); }
.s2 { fill: var(--series-2); } .l2 { stroke: var(--series-2); }
.s3 { fill: var(--series-3); } .l3 { stroke: var(--series-3); }
.s4 { fill: var(--series-4); } .l4 { stroke: var(--series-4); }
.faint { fill-opacity: 0.45; }
)css";

struct Cell {
  std::string text;
  bool left = false;
};

void add_table(std::string& out, const std::vector<Cell>& head,
               const std::vector<std::vector<std::string>>& rows) {
  out += "<div class=\"tables\"><table>\n<tr>";
  for (const Cell& cell : head)
    out += fmt::format("<th{}>{}</th>", cell.left ? " class=\"left\"" : "", html_escape(cell.text));
  out += "</tr>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out +=
          fmt::format("<td{}>{}</td>", head[i].left ? " class=\"left\"" : "", html_escape(row[i]));
    out += "</tr>\n";
  }
  out += "</table></div>\n";
}

void add_figure(std::string& out, const std::string& chart, std::string_view caption) {
  if (chart.empty()) return;
  out += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", chart,
                     html_escape(caption));
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(double part) { return fmt::format("{:.3g} %", 100 * part); }

double microseconds(const Distribution& values, double quantile) {
  return static_cast<double>(values.quantile(quantile)) / 1000;
}

std::string latency_chart(const ReplayTotals& t) {
  Series p50{"p50", {}}, p90{"p90", {}}, p99{"p99", {}};
  for (const auto& [key, values] : t.append_nanoseconds) {
    const double length = std::exp2((key + 0.5) / 2);
    p50.points.emplace_back(length, microseconds(values, 0.5));
    p90.points.emplace_back(length, microseconds(values, 0.9));
    if (values.count() >= kLeastForP99) p99.points.emplace_back(length, microseconds(values, 0.99));
  }
  return report::line_chart("Latency of an append by the length of the text before",
                            {"bytes of text", true, true}, {"microseconds", true, false},
                            {p50, p90, p99});
}

std::string size_chart(const ReplayTotals& t) {
  std::map<int, std::uint64_t> counts;
  for (const std::uint64_t size : t.append_bytes.values())
    ++counts[static_cast<int>(std::bit_width(size)) - 1];
  std::vector<Bar> bars;
  if (!counts.empty()) {
    for (int power = counts.begin()->first; power <= counts.rbegin()->first; ++power) {
      const auto found = counts.find(power);
      const std::uint64_t count = found == counts.end() ? 0 : found->second;
      bars.push_back({report::short_number(std::exp2(power), true), static_cast<double>(count),
                      grouped(count)});
    }
  }
  return report::column_chart("Sizes of appends", "bytes, this many and up to twice as many",
                              "appends", bars);
}

std::string memory_chart(const ReplayTotals& t) {
  Series sessions{"session", {}, true};
  const std::size_t every = t.ends.size() / kMostDots + 1;
  for (std::size_t i = 0; i < t.ends.size(); i += every)
    sessions.points.emplace_back(static_cast<double>(t.ends[i].bytes),
                                 static_cast<double>(t.ends[i].memory));
  return report::line_chart("Memory of a session at its end", {"bytes of text", true, true},
                            {"bytes of memory", true, true}, {sessions});
}

std::string share_chart(const std::vector<const ReplayRow*>& rows) {
  std::vector<Bar> bars;
  for (const ReplayRow* row : rows) {
    const double part = share(row->totals.encoded(), row->totals.text_bytes);
    bars.push_back({row->policy, part, percent(part)});
  }
  return report::bar_chart("Share of the text encoded again, of what whole encodes would read",
                           bars);
}

void add_latency_table(std::string& out, const ReplayTotals& t) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t op = 0; op < replay::kWorkOps; ++op) {
    for (std::size_t band = 0; band < replay::kBands; ++band) {
      const Distribution& values = t.ops[op].nanoseconds[band];
      if (values.count() == 0) continue;
      rows.push_back({std::string(replay::name_of(static_cast<replay::WorkOp>(op))),
                      std::string(replay::band_name(band)), grouped(values.count()),
                      fmt::format("{:.1f}", microseconds(values, 0.5)),
                      fmt::format("{:.1f}", microseconds(values, 0.9)),
                      fmt::format("{:.1f}", microseconds(values, 0.99)),
                      fmt::format("{:.1f}", microseconds(values, 1))});
    }
  }
  out += "<details><summary>Latency by step and length, in microseconds</summary>\n";
  add_table(out,
            {{"step", true}, {"text before", true}, {"count"}, {"p50"}, {"p90"}, {"p99"}, {"max"}},
            rows);
  out += "</details>\n";
}

void add_model(std::string& out, const std::string& name,
               const std::vector<const ReplayRow*>& rows) {
  ReplayTotals all;
  for (const ReplayRow* row : rows) all.merge(row->totals);
  const TokenizerInfo& info = rows.front()->loaded->info();
  out += fmt::format("<h2>{}</h2>\n<p>{}, {}, fingerprint <code>{}</code></p>\n", html_escape(name),
                     html_escape(info.kind), html_escape(info.reference),
                     html_escape(info.fingerprint));
  add_figure(out, latency_chart(all),
             "Calls of the session alone. Points are half octaves of length; p99 where there are "
             "at least 20.");
  add_figure(out, size_chart(all), "Text given in one append to a text that was there.");
  add_figure(out, share_chart(rows),
             fmt::format("Bytes given to the encoder, over the texts after all steps. {} of {} "
                         "appends ({}) met a text without a certain boundary.",
                         grouped(all.appends_without_seam), grouped(all.appends),
                         percent(share(all.appends_without_seam, all.appends))));
  add_figure(out, memory_chart(all),
             fmt::format("Text, ids and seams: {:.2f} bytes a token over all sessions.",
                         share(all.memory.sum(), all.end_tokens)));
  add_latency_table(out, all);
}

}  // namespace

std::string html_page(const ReplayFacts& facts, const std::vector<ReplayRow>& rows,
                      double seconds) {
  ReplayTotals all;
  for (const ReplayRow& row : rows) all.merge(row.totals);
  std::string command;
  for (const std::string& word : facts.command)
    command += (command.empty() ? "" : " ") + report::shell_quote(word);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Replay</title>\n<style>{}</style>\n</head>\n<body>\n<h1>Transcripts on "
      "sessions</h1>\n",
      kStyle);
  fmt::format_to(
      std::back_inserter(out),
      "<p><b>{} repairs</b>, {} verified against a cold encode, {} steps by the reference, "
      "<b>{} differences</b>.{}</p>\n<p><code>{}</code></p>\n"
      "<p>Version {}, commit {}, started {}, {:.1f} s, seed {}, {} threads.</p>\n",
      grouped(all.repairs()), grouped(all.verified_repairs()), grouped(all.referenced()),
      grouped(all.differences), all.stopped ? " Stopped early." : "", html_escape(command),
      html_escape(cli::version()), html_escape(cli::commit()), html_escape(facts.started), seconds,
      facts.common->seed, facts.common->jobs);
  std::vector<std::vector<std::string>> verdicts;
  std::vector<std::pair<std::string, std::vector<const ReplayRow*>>> models;
  for (const ReplayRow& row : rows) {
    const ReplayTotals& t = row.totals;
    verdicts.push_back({row.model, row.policy, row.status, grouped(t.sessions),
                        grouped(t.repairs()), grouped(t.verified_repairs()),
                        grouped(t.referenced()), grouped(t.differences),
                        percent(share(t.encoded(), t.text_bytes))});
    if (row.loaded == nullptr) continue;
    if (models.empty() || models.back().first != row.model) models.push_back({row.model, {}});
    models.back().second.push_back(&row);
  }
  add_table(out,
            {{"model", true},
             {"policy", true},
             {"status", true},
             {"sessions"},
             {"repairs"},
             {"verified"},
             {"by reference"},
             {"differences"},
             {"encoded of all texts"}},
            verdicts);
  for (const auto& [name, own] : models) add_model(out, name, own);
  return out + "</body>\n</html>\n";
}

}  // namespace toktier::replay_app
