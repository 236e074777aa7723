#include "apps/replay/statistics_report.hpp"

#include "report/json_writer.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

namespace toktier::replay_app {
namespace {

using replay::Distribution;
using replay::Gaps;
using replay::Statistics;
using report::grouped;
using report::JsonWriter;
using Align = report::Table::Align;

void write_distribution(JsonWriter& json, std::string_view name, const Distribution& values) {
  json.key(name).begin_object().field("count", values.count()).field("sum", values.sum());
  json.field("p50", values.quantile(0.5)).field("p90", values.quantile(0.9));
  json.field("p99", values.quantile(0.99)).field("max", values.max()).end_object();
}

std::string quantiles(const Distribution& values) {
  if (values.count() == 0) return "-";
  return fmt::format("{} / {} / {} / {}", grouped(values.quantile(0.5)),
                     grouped(values.quantile(0.9)), grouped(values.quantile(0.99)),
                     grouped(values.max()));
}

double reuse(const Statistics& s) {
  if (s.prompt_chars == 0) return 0;
  return 1.0 - static_cast<double>(s.new_chars) / static_cast<double>(s.prompt_chars);
}

constexpr std::array<std::string_view, Gaps::kLimitsMs.size() + 1> kGapNames = {
    "1s", "10s", "1m", "5m", "1h", "1d", "more"};

/// Share of the gaps that are at most the limit `i`.
double served_within(const Gaps& gaps, std::size_t i) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k <= i; ++k) sum += gaps.counts[k];
  return gaps.total == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(gaps.total);
}

void write_gaps(JsonWriter& json, const Gaps& gaps) {
  json.key("gaps").begin_object().field("total", gaps.total).field("backwards", gaps.backwards);
  json.key("at_most").begin_object();
  for (std::size_t i = 0; i < kGapNames.size(); ++i) json.field(kGapNames[i], gaps.counts[i]);
  json.end_object();
  // Of all turns with times, those that a session kept so long after the answer would serve.
  json.key("kept_for").begin_object();
  for (std::size_t i = 0; i < Gaps::kLimitsMs.size(); ++i)
    json.field(kGapNames[i], served_within(gaps, i));
  json.end_object().end_object();
}

void write_encoded(JsonWriter& json, const replay::ReplayTotals& t) {
  json.key("encoded").begin_object().field("given_bytes", t.given());
  json.field("encoded_bytes", t.encoded()).field("text_bytes", t.text_bytes);
  json.key("appends").begin_object().field("count", t.appends);
  json.field("without_seam", t.appends_without_seam);
  write_distribution(json, "extra_bytes", t.append_extra);
  write_distribution(json, "without_seam_text_bytes", t.without_seam_text);
  json.end_object().end_object();
}

report::Table encoded_table(const std::vector<NamedStatistics>& rows) {
  report::Table table({{"format", Align::left},
                       {"bytes given", Align::right},
                       {"bytes encoded", Align::right},
                       {"of all texts", Align::right},
                       {"appends from a seam", Align::right},
                       {"bytes encoded again p50 / p90 / p99 / max", Align::right},
                       {"without a seam", Align::right},
                       {"share", Align::right}});
  const auto percent = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? std::string("-")
                      : fmt::format("{:.2f} %",
                                    100.0 * static_cast<double>(part) / static_cast<double>(whole));
  };
  for (const NamedStatistics& row : rows) {
    if (!row.encoded || row.encoded->steps() == 0) continue;
    const replay::ReplayTotals& t = *row.encoded;
    table.add({row.name, grouped(t.given()), grouped(t.encoded()),
               percent(t.encoded(), t.text_bytes), grouped(t.appends - t.appends_without_seam),
               quantiles(t.append_extra), grouped(t.appends_without_seam),
               percent(t.appends_without_seam, t.appends)});
  }
  return table;
}

report::Table kept_table(const std::vector<NamedStatistics>& rows) {
  std::vector<report::Table::Column> columns = {{"served by a session kept for", Align::left}};
  for (std::size_t i = 0; i < Gaps::kLimitsMs.size(); ++i)
    columns.push_back({std::string(kGapNames[i]), Align::right});
  report::Table table(columns);
  for (const NamedStatistics& row : rows) {
    if (row.numbers.gaps.total == 0) continue;
    std::vector<std::string> cells = {row.name};
    for (std::size_t i = 0; i < Gaps::kLimitsMs.size(); ++i)
      cells.push_back(fmt::format("{:.1f} %", 100 * served_within(row.numbers.gaps, i)));
    table.add(std::move(cells));
  }
  return table;
}

void write_contexts(JsonWriter& json, const Statistics& s) {
  json.field("rewinds", s.rewinds).field("rewound_messages", s.rewound_messages);
  json.field("rewound_chars", s.rewound_chars).field("compactions", s.compactions);
  json.field("compacted_chars", s.compacted_chars).field("snapshots", s.snapshots);
  write_distribution(json, "append_chars", s.append_chars);
  write_distribution(json, "append_bytes", s.append_bytes);
  write_distribution(json, "first_chars", s.first_chars);
  write_distribution(json, "context_chars", s.context_chars);
  write_distribution(json, "all_chars", s.all_chars);
  write_distribution(json, "appends_per_session", s.appends_per_session);
  write_distribution(json, "growth_per_call_chars", s.growth_per_call);
  json.field("prompt_chars", s.prompt_chars).field("new_prompt_chars", s.new_chars);
  json.field("reuse", reuse(s));
}

report::Table size_table(const std::vector<NamedStatistics>& rows) {
  report::Table table({{"format", Align::left},
                       {"append chars p50 / p90 / p99 / max", Align::right},
                       {"append bytes", Align::right},
                       {"first chars", Align::right},
                       {"final context chars", Align::right},
                       {"all chars of a session", Align::right},
                       {"appends of a session", Align::right}});
  for (const auto& [name, s, encoded] : rows) {
    if (s.messages == 0) continue;
    table.add({name, quantiles(s.append_chars), quantiles(s.append_bytes), quantiles(s.first_chars),
               quantiles(s.context_chars), quantiles(s.all_chars),
               quantiles(s.appends_per_session)});
  }
  return table;
}

report::Table count_table(const std::vector<NamedStatistics>& rows) {
  report::Table table({{"format", Align::left},
                       {"files", Align::right},
                       {"sessions", Align::right},
                       {"forks", Align::right},
                       {"turns", Align::right},
                       {"calls", Align::right},
                       {"cold", Align::right},
                       {"recorded calls", Align::right},
                       {"appends", Align::right},
                       {"empty", Align::right},
                       {"roll-backs", Align::right},
                       {"compactions", Align::right},
                       {"reuse", Align::right}});
  for (const auto& [name, s, encoded] : rows) {
    table.add({name, grouped(s.files), grouped(s.sessions), grouped(s.forks), grouped(s.turns),
               grouped(s.calls), grouped(s.cold_calls), grouped(s.recorded_calls),
               grouped(s.appends), grouped(s.empty_appends), grouped(s.rewinds),
               grouped(s.compactions),
               s.prompt_chars == 0 ? "-" : fmt::format("{:.4f}", reuse(s))});
  }
  return table;
}

std::string further_tables(const std::vector<NamedStatistics>& rows) {
  report::Table tokens({{"format", Align::left},
                        {"append tokens p50 / p90 / p99 / max", Align::right},
                        {"final context tokens", Align::right}});
  report::Table rounds({{"format", Align::left},
                        {"rounds", Align::right},
                        {"prefix drops", Align::right},
                        {"short prefixes", Align::right},
                        {"prefix tokens p50 / p90 / p99 / max", Align::right},
                        {"append tokens", Align::right}});
  std::vector<report::Table::Column> gap_columns = {{"gaps before a turn", Align::left}};
  for (const std::string_view name : kGapNames)
    gap_columns.push_back({fmt::format("{}{}", name == "more" ? "" : "<= ", name), Align::right});
  report::Table gaps(gap_columns);
  for (const auto& [name, s, encoded] : rows) {
    if (s.counted) tokens.add({name, quantiles(s.append_tokens), quantiles(s.context_tokens)});
    if (s.rounds > 0)
      rounds.add({name, grouped(s.rounds), grouped(s.round_drops), grouped(s.round_short_prefixes),
                  quantiles(s.round_prefix), quantiles(s.round_append)});
    if (s.gaps.total == 0) continue;
    std::vector<std::string> cells = {name};
    for (const std::uint64_t count : s.gaps.counts) cells.push_back(grouped(count));
    gaps.add(std::move(cells));
  }
  std::string text;
  for (const report::Table& table : {tokens, encoded_table(rows), rounds, gaps, kept_table(rows)})
    if (!table.empty()) text += "\n" + table.text();
  return text;
}

}  // namespace

std::string statistics_record(const NamedStatistics& row, const replay::SeriesCounts& series,
                              std::uint64_t problems, const std::string& model) {
  const Statistics& s = row.numbers;
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("schema", "toktier.replay_stats/1").field("format", row.name);
  json.field("files", s.files).field("sessions", s.sessions).field("forks", s.forks);
  json.field("messages", s.messages).field("turns", s.turns).field("calls", s.calls);
  json.field("cold_calls", s.cold_calls);
  json.field("recorded_calls", s.recorded_calls).field("appends", s.appends);
  json.field("empty_appends", s.empty_appends);
  write_contexts(json, s);
  if (s.counted) {
    json.field("tokenizer", model);
    write_distribution(json, "append_tokens", s.append_tokens);
    write_distribution(json, "context_tokens", s.context_tokens);
  }
  if (row.encoded) write_encoded(json, *row.encoded);
  json.key("rounds").begin_object().field("count", s.rounds).field("prefix_drops", s.round_drops);
  json.field("short_prefixes", s.round_short_prefixes);
  write_distribution(json, "prefix_tokens", s.round_prefix);
  write_distribution(json, "append_tokens", s.round_append);
  json.end_object().key("usage").begin_object().field("records", s.usages);
  json.field("input", s.usage_input).field("cached", s.usage_cached);
  json.field("output", s.usage_output).end_object();
  write_gaps(json, s.gaps);
  json.key("series").begin_object().field("snapshots", series.snapshots);
  json.field("strict_appends", series.strict_appends).field("rewrites", series.rewrites);
  json.end_object().field("problems", problems).end_object();
  return line;
}

std::string statistics_tables(const std::vector<NamedStatistics>& rows,
                              const replay::SeriesCounts& series) {
  if (rows.empty()) return {};
  std::string text = count_table(rows).text();
  if (const report::Table sizes = size_table(rows); !sizes.empty()) text += "\n" + sizes.text();
  text += further_tables(rows);
  if (series.snapshots > 0)
    text += fmt::format("\n{} files are calls of a series: {} strict appends, {} rewrites\n",
                        series.snapshots, series.strict_appends, series.rewrites);
  return text;
}

}  // namespace toktier::replay_app
