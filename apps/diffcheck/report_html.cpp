#include "apps/common/program.hpp"
#include "apps/diffcheck/campaign_report.hpp"
#include "report/escape.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace toktier::diffcheck {
namespace {

using diff::shards::CampaignSummary;
using diff::shards::Counts;
using diff::shards::DivergenceRecord;
using diff::shards::SummaryRow;
using report::grouped;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d4d8dd; --soft: #f3f5f7;
  --good: #1a7f37; --bad: #c4251b; --wait: #9a6700; --bar: #4a7fb5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --paper: #14171a; --line: #3a4047;
  --soft: #1e2226; --good: #5cbf74; --bad: #ff7b72; --wait: #d9a53a; --bar: #6fa3d8; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
  vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
thead th { background: var(--soft); }
code, pre { font-family: ui-monospace, monospace; font-size: .88em; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.good { color: var(--good); } .bad { color: var(--bad); } .wait { color: var(--wait); }
.verdict { font-size: 1.2rem; font-weight: 600; }
svg rect.b { fill: var(--bar); } svg rect.g { fill: var(--soft); stroke: var(--line); }
details { border: 1px solid var(--line); border-radius: .3rem; padding: .3rem .7rem;
  margin: .4rem 0; }
)";

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

class Page {
 public:
  explicit Page(const CampaignSummary& summary) : s_(summary) {}

  std::string text() {
    add("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} - toktier-diffcheck</title>\n<style>{}</style></head>\n<body>\n",
        html(s_.status), kStyle);
    head();
    checks();
    rows();
    counts("Differences by class", "class", s_.sums.differences);
    divergences();
    counts("Skipped, by reason", "reason", s_.sums.skipped);
    conduct();
    out_ += "</body></html>\n";
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  static const char* colour(std::string_view status) {
    return status == "equal" ? "good" : status == "different" ? "bad" : "wait";
  }

  void head() {
    std::uint64_t differences = 0, all = 0;
    for (const auto& [cls, count] : s_.sums.differences) differences += count;
    for (const auto& [check, count] : s_.sums.checked) all += count;
    add("<h1>Campaign of {}</h1>\n<p class=\"verdict {}\">{}</p>\n", html(s_.engine),
        colour(s_.status), html(s_.status));
    add("<p>{} documents, {} bytes, {} code points, {} ids; {} checks, {} differences, {} "
        "distinct.",
        grouped(s_.sums.documents), grouped(s_.sums.bytes), grouped(s_.sums.code_points),
        grouped(s_.sums.ids), grouped(all), grouped(differences), grouped(s_.divergences.size()));
    if (s_.sums.upper_bound)
      add(" With 95 % confidence fewer than {:.2g} of documents like these differ (rule of three).",
          *s_.sums.upper_bound);
    add("</p>\n<p>Plan <code>{}</code>, seed {}, {} units{}.</p>\n", html(s_.plan.substr(0, 16)),
        s_.seed, grouped(s_.units),
        s_.missing_units > 0
            ? fmt::format(", <strong class=\"wait\">{} missing</strong>", grouped(s_.missing_units))
            : std::string());
  }

  void checks() {
    out_ +=
        "<h2>Checks</h2>\n<table><thead><tr><th>check</th><th class=\"n\">made</th>"
        "<th class=\"n\">differences</th><th class=\"n\">bound at 95 %</th></tr></thead>"
        "<tbody>\n";
    for (const auto& [check, count] : s_.sums.checked) {
      const std::uint64_t different = differences_of(s_.sums, check);
      const auto bound = s_.upper_bounds.find(check);
      add("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n {}\">{}</td><td class=\"n\">{}</td>"
          "</tr>\n",
          html(check), grouped(count), different > 0 ? "bad" : "good", grouped(different),
          bound == s_.upper_bounds.end() ? std::string("-") : fmt::format("{:.2g}", bound->second));
    }
    out_ += "</tbody></table>\n";
  }

  /// How much of the vocabulary was seen.
  static std::string bar(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return {};
    const double share = static_cast<double>(part) / static_cast<double>(whole);
    return fmt::format(
        "<svg width=\"82\" height=\"12\" role=\"img\" aria-label=\"{0:.0f} percent\"><rect "
        "class=\"g\" x=\".5\" y=\".5\" width=\"80\" height=\"11\"/><rect class=\"b\" x=\".5\" "
        "y=\".5\" width=\"{1:.1f}\" height=\"11\"/></svg> {0:.0f} %",
        100 * share, 80 * share);
  }

  void rows() {
    out_ +=
        "<h2>Models, references, sources</h2>\n<div class=\"scroll\"><table><thead><tr>"
        "<th>model</th><th>reference</th><th>source</th><th>status</th><th class=\"n\">units"
        "</th><th class=\"n\">documents</th><th class=\"n\">bytes</th><th class=\"n\">ids</th>"
        "<th class=\"n\">differing documents</th><th>vocabulary seen</th></tr></thead><tbody>\n";
    for (const SummaryRow& row : s_.rows) {
      const std::string status = row.status == "compared"
                                     ? (row.sums.differences.empty() ? "equal" : "different")
                                     : row.status;
      add("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}{}</td><td class=\"n\">{}/{}"
          "</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
          "<td class=\"n\">{}</td><td>{}</td></tr>\n",
          html(row.model), html(row.status == "missing" ? row.reference : row.reference_label),
          html(row.source), colour(status), html(status),
          row.reason.empty() ? std::string() : html(": " + row.reason), row.done, row.units,
          grouped(row.sums.documents), grouped(row.sums.bytes), grouped(row.sums.ids),
          grouped(row.sums.different_documents), bar(row.distinct_ids, row.end_id));
    }
    out_ += "</tbody></table></div>\n";
  }

  void counts(const char* title, const char* what, const Counts& all) {
    if (all.empty()) return;
    add("<h2>{}</h2>\n<table><thead><tr><th>{}</th><th "
        "class=\"n\">count</th></tr></thead><tbody>\n",
        title, what);
    for (const auto& [name, count] : all)
      add("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", html(name), grouped(count));
    out_ += "</tbody></table>\n";
  }

  void divergences() {
    if (s_.divergences.empty()) return;
    out_ += "<h2>Divergences</h2>\n";
    for (const DivergenceRecord& one : s_.divergences) {
      add("<details{}><summary><code>{}</code> <strong>{}</strong> {}: <code>{}</code></summary>\n",
          s_.divergences.size() <= 3 ? " open" : "", html(one.id), html(one.cls), html(one.model),
          html(report::escape_preview(one.shown(), 60)));
      add("<table><tbody><tr><th>text</th><td><code>\"{}\"</code></td></tr>\n",
          html(report::escape_preview(one.shown(), 1000)));
      add("<tr><th>{}</th><td><code>{}</code></td></tr>\n<tr><th>{}</th><td><code>{}</code></td></"
          "tr>"
          "\n",
          html(one.engine_label), html(one.actual), html(one.reference_label), html(one.expected));
      add("<tr><th>found in</th><td>{}, {} bytes{}{}; {} like it described</td></tr>\n",
          html(one.document), grouped(one.document_bytes),
          one.line ? fmt::format(", line {}", *one.line) : std::string(),
          one.file_byte ? fmt::format(", byte {} of the file", *one.file_byte) : std::string(),
          grouped(one.occurrences));
      add("</tbody></table><pre>{}</pre></details>\n", html(one.repro));
    }
  }

  void conduct() {
    out_ +=
        "<h2>Shards</h2>\n<table><thead><tr><th>shard</th><th>status</th><th>host</th>"
        "<th>problems</th></tr></thead><tbody>\n";
    for (const diff::shards::SummaryShard& shard : s_.shards) {
      std::string problems;
      for (const std::string& one : shard.problems) problems += html(one) + "<br>";
      add("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", html(shard.name),
          html(shard.status), html(shard.host), problems);
    }
    add("</tbody></table>\n<p>{:.1f} seconds of units. Made by toktier-diffcheck {} ({}).</p>\n",
        s_.unit_seconds, html(cli::version()), html(cli::commit()));
  }

  const CampaignSummary& s_;
  std::string out_;
};

}  // namespace

std::string report_html(const CampaignSummary& summary) { return Page(summary).text(); }

}  // namespace toktier::diffcheck
