#include "apps/diffcheck/records.hpp"
#include "report/escape.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <iterator>

namespace toktier::diffcheck {
namespace {

using report::grouped;
using report::Table;

std::uint64_t total(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

/// Sums of one kind over all rows, as indented lines.
void append_counts(std::string& text, const char* title,
                   const std::map<std::string, std::uint64_t>& counts) {
  if (counts.empty()) return;
  text += fmt::format("\n{}\n", title);
  for (const auto& [name, count] : counts)
    text += fmt::format("  {:>14}  {}\n", grouped(count), name);
}

void append_coverage(std::string& text, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const diff::Verdict& v = row.verdict;
    if (v.checks() == 0) continue;
    auto out = std::back_inserter(text);
    fmt::format_to(out, "\n{} against {}\n", row.model, row.reference.label());
    fmt::format_to(out, "  {} code points, {} ids; {} of {} vocabulary entries seen; {:.1f} s\n",
                   grouped(v.code_points), grouped(v.ids), grouped(v.distinct_ids),
                   grouped(v.end_id), v.wall_seconds);
    if (v.different_documents == 0) {
      const std::uint64_t agreed = v.documents - v.both_refused;
      fmt::format_to(
          out, "  no difference in {} documents: below {:.2g} of documents like these (95 %)\n",
          grouped(agreed), diff::rule_of_three(agreed));
    }
    if (v.quoted_agree + v.quoted_differ > 0) {
      fmt::format_to(out, "  quoted ids: {} confirmed, {} not confirmed by the reference\n",
                     v.quoted_agree, v.quoted_differ);
      for (const std::string& id : v.quoted_differing)
        fmt::format_to(out, "    not confirmed: {}\n", id);
    }
    if (v.store_hits + v.store_misses > 0) {
      fmt::format_to(out, "  stored answers: {} blocks found, {} asked, {} damaged\n", v.store_hits,
                     v.store_misses, v.store_damaged);
    }
    if (v.restarts > 0)
      fmt::format_to(out, "  the reference was started again {} times\n", v.restarts);
    if (v.limit_reached) fmt::format_to(out, "  ended early: --max-divergences reached\n");
    if (v.stopped) fmt::format_to(out, "  stopped early by a signal\n");
  }
}

}  // namespace

std::string rows_text(const std::vector<Row>& rows) {
  using Align = Table::Align;
  Table table({{"model", Align::left},
               {"status", Align::left},
               {"reference", Align::left},
               {"documents", Align::right},
               {"bytes", Align::right},
               {"checks", Align::right},
               {"differences", Align::right},
               {"skipped", Align::right},
               {"reason", Align::left}});
  std::map<std::string, std::uint64_t> skipped, differences;
  for (const Row& row : rows) {
    const diff::Verdict& v = row.verdict;
    table.add({row.model, row.status,
               row.reference.version.empty() ? row.reference.row : row.reference.label(),
               grouped(v.documents), grouped(v.bytes), grouped(v.checks()),
               grouped(v.difference_count()), grouped(total(v.skipped)), row.reason});
    for (const auto& [reason, count] : v.skipped) skipped[reason] += count;
    for (const auto& [cls, count] : v.differences) differences[cls] += count;
  }
  std::string text = table.text();
  append_counts(text, "Differences by class", differences);
  append_counts(text, "Skipped, by reason", skipped);
  append_coverage(text, rows);
  return text;
}

std::string divergence_text(const RunFacts& facts, const Row& row,
                            const diff::Divergence& divergence) {
  const std::string& shown = divergence.minimal.empty() ? divergence.input : divergence.minimal;
  return fmt::format(
      "divergence {}  {}  {}{}\n  text      \"{}\"\n  at        index {}, byte {}\n  actual    "
      "{}\n  expected  {}\n  repro     {}\n\n",
      divergence.cls, row.model, divergence.document,
      divergence.origin.empty() || divergence.document.starts_with(divergence.origin)
          ? ""
          : " in " + divergence.origin,
      report::escape_preview(shown, 400), divergence.difference.index, divergence.difference.byte,
      divergence.window.ours, divergence.window.theirs, repro_line(facts, row, divergence));
}

}  // namespace toktier::diffcheck
