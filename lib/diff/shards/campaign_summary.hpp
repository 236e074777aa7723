#pragma once
// A merged run as it was written: summary.json (toktier.campaign/1) and divergences.jsonl. Value
// types.

#include "diff/shards/divergence_record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace toktier::diff::shards {

using Counts = std::map<std::string, std::uint64_t>;

struct SummarySums {
  std::uint64_t documents = 0, bytes = 0, code_points = 0, ids = 0;
  Counts checked, skipped, differences;  // by check, by reason, by class
  std::uint64_t different_documents = 0, both_refused = 0, failed_inputs = 0;
  std::optional<double> upper_bound;  // at 95 %, of documents; none when something differs
};

struct SummaryRow {
  std::string model, reference, source;
  std::string status, reason;  // compared, refused, missing
  std::uint64_t units = 0, done = 0;
  std::string engine_label, reference_label;
  SummarySums sums;
  std::uint64_t distinct_ids = 0, end_id = 0;
};

struct SummaryShard {
  std::string name, status, host;
  std::vector<std::string> problems;
};

struct CampaignSummary {
  std::string plan, engine, checks, status;
  std::uint64_t seed = 0, exit_code = 0, units = 0, missing_units = 0;
  SummarySums sums;
  std::map<std::string, double> upper_bounds;  // by check
  std::vector<SummaryRow> rows;
  std::vector<SummaryShard> shards;
  double unit_seconds = 0;
  std::vector<DivergenceRecord> divergences;
};

/// `run`: the folder of a run (its merged/ is read) or a folder with the two files. Error{input}
/// when it was not merged.
CampaignSummary read_summary(const std::string& run);

}  // namespace toktier::diff::shards
