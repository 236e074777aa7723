#include "apps/diffcheck/campaign_report.hpp"
#include "diff/check_table.hpp"
#include "report/escape.hpp"
#include "report/junit.hpp"

#include <fmt/format.h>

#include <set>

namespace toktier::diffcheck {

using diff::shards::CampaignSummary;
using diff::shards::DivergenceRecord;
using diff::shards::SummaryRow;
using diff::shards::SummarySums;

std::uint64_t differences_of(const SummarySums& sums, std::string_view check) {
  std::uint64_t count = 0;
  for (const auto& [cls, number] : sums.differences)
    if (cls.substr(0, cls.find('/')) == check) count += number;
  return count;
}

std::vector<const DivergenceRecord*> divergences_of(const CampaignSummary& summary,
                                                    const SummaryRow& row, std::string_view check) {
  std::vector<const DivergenceRecord*> found;
  for (const DivergenceRecord& one : summary.divergences) {
    const bool same = one.model == row.model && one.source == row.source &&
                      row.reference_label == one.reference_label;
    if (same && (check.empty() || one.check == check)) found.push_back(&one);
  }
  return found;
}

namespace {

std::string failure_text(const CampaignSummary& summary, const SummaryRow& row,
                         const std::string& check) {
  std::string text = fmt::format("{} differences in {} checks", differences_of(row.sums, check),
                                 row.sums.checked.count(check) ? row.sums.checked.at(check) : 0);
  for (const DivergenceRecord* one : divergences_of(summary, row, check)) {
    text += fmt::format("\n\n{} {} in {}\n  text      \"{}\"\n  actual    {}\n  expected  {}\n  {}",
                        one->id, one->cls, one->document, report::escape_preview(one->shown(), 400),
                        one->actual, one->expected, one->repro);
  }
  return text;
}

/// Why nothing can be said of the check here.
std::string why_not_checked(const SummaryRow& row, const std::string& check) {
  for (const auto& [reason, count] : row.sums.skipped)
    if (reason.starts_with(check + ":")) return reason;
  return "nothing was checked";
}

}  // namespace

std::string report_junit(const CampaignSummary& summary) {
  std::vector<report::JunitCase> cases;
  for (const SummaryRow& row : summary.rows) {
    std::set<std::string> checks;
    const std::uint32_t parts = diff::parse_checks(summary.checks);
    for (const diff::CheckRow& one : diff::check_table())
      if (parts & one.part) checks.emplace(one.name);
    for (const std::string& check : checks) {
      report::JunitCase one;
      one.group = fmt::format("{} against {}", row.model, row.reference);
      one.name = fmt::format("{}: {}", row.source, check);
      if (differences_of(row.sums, check) > 0) {
        one.failure = failure_text(summary, row, check);
      } else if (row.done < row.units) {
        one.failure = fmt::format("{} of {} units are missing", row.units - row.done, row.units);
      } else if (row.status == "refused") {
        one.skipped = row.reason;
      } else if (row.sums.checked.count(check) == 0) {
        one.skipped = why_not_checked(row, check);
      }
      cases.push_back(std::move(one));
    }
    if (row.sums.failed_inputs > 0) {
      report::JunitCase one;
      one.group = fmt::format("{} against {}", row.model, row.reference);
      one.name = row.source + ": whole inputs";
      one.failure = fmt::format("{} damaged files or records left out", row.sums.failed_inputs);
      cases.push_back(std::move(one));
    }
  }
  return report::junit_text("toktier-diffcheck", cases);
}

}  // namespace toktier::diffcheck
