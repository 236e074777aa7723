#pragma once
// A merged run for people and for CI systems. Pure functions.

#include "diff/shards/campaign_summary.hpp"

#include <string>

namespace toktier::diffcheck {

/// One self-contained page: no script, no link to anything outside, light and dark.
std::string report_html(const diff::shards::CampaignSummary& summary);
/// A test case for each model, reference, source and check.
std::string report_junit(const diff::shards::CampaignSummary& summary);
/// SARIF 2.1.0: a rule for each class, a result for each divergence, at its place in the corpus
/// file as far as that is known.
std::string report_sarif(const diff::shards::CampaignSummary& summary);

/// The divergences of a row, of one check ("" = all).
std::vector<const diff::shards::DivergenceRecord*> divergences_of(
    const diff::shards::CampaignSummary& summary, const diff::shards::SummaryRow& row,
    std::string_view check);
/// Differences of a check: those of its classes.
std::uint64_t differences_of(const diff::shards::SummarySums& sums, std::string_view check);

}  // namespace toktier::diffcheck
