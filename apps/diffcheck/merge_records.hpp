#pragma once
// A merged run as a record (results/schema/campaign.schema.json) and as text.

#include "apps/common/exit_code.hpp"
#include "diff/shards/merge.hpp"

#include <string>
#include <vector>

namespace toktier::diffcheck {

/// What merge concludes.
struct MergeVerdict {
  std::string status;                       // equal, different, incomplete, nothing checked
  std::vector<std::string> missing_shards;  // names of folders that are not there
  cli::ExitCode code = cli::ExitCode::ok;
};

/// One object. All before its last field "conduct" is the same for any number of shards, threads
/// and attempts.
std::string campaign_record(const diff::shards::Merged& merged, const MergeVerdict& verdict);
std::string campaign_text(const diff::shards::Merged& merged, const MergeVerdict& verdict);
/// "model against reference over source".
std::string row_name(const diff::shards::Merged& merged, const diff::shards::MergedRow& row);
/// Units as ranges: "3, 7-12".
std::string ranges(const std::vector<std::uint64_t>& numbers);

}  // namespace toktier::diffcheck
