// merge RUN: the shards of a run put together.

#include "diff/shards/merge.hpp"

#include "apps/common/output.hpp"
#include "apps/diffcheck/merge_records.hpp"
#include "apps/diffcheck/run.hpp"
#include "diff/shards/shard_folder.hpp"
#include "io/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace toktier::diffcheck {
namespace {

using cli::ExitCode;
namespace shards = diff::shards;

/// Shards of the expected number that left no folder. Units count, whoever ran them: folders of
/// another number are no less good.
std::vector<std::string> missing_shards(const shards::Merged& merged, std::uint64_t expected) {
  std::uint64_t count = expected;
  for (const shards::ShardState& shard : merged.conduct.shards)
    if (expected == 0) count = std::max(count, shard.shards);
  std::vector<std::string> missing;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool found =
        std::any_of(merged.conduct.shards.begin(), merged.conduct.shards.end(),
                    [&](const shards::ShardState& s) { return s.shard == i && s.shards == count; });
    if (!found) missing.push_back(shards::shard_name(i, count));
  }
  return missing;
}

MergeVerdict conclude(const MergeOptions& options, const shards::Merged& merged) {
  MergeVerdict verdict;
  // A shard without units may never have run; only units make a campaign whole.
  verdict.missing_shards = missing_shards(merged, options.expect_shards);
  const bool incomplete =
      !merged.missing.empty() || (options.expect_shards > 0 && !verdict.missing_shards.empty());
  const diff::Verdict& v = merged.totals;
  verdict.status = v.difference_count() > 0 ? "different"
                   : incomplete             ? "incomplete"
                   : v.checks() == 0        ? "nothing checked"
                                            : "equal";
  if (v.difference_count() > 0 && !options.no_gate) verdict.code = ExitCode::divergence;
  if (v.failed_inputs > 0) verdict.code = cli::worse(verdict.code, ExitCode::input);
  if (v.checks() == 0 && !options.allow_empty)
    verdict.code = cli::worse(verdict.code, ExitCode::input);
  if (incomplete) {
    verdict.code = cli::worse(verdict.code, ExitCode::stopped);
    // Why units are missing, as far as their shards know.
    for (const shards::ShardState& shard : merged.conduct.shards) {
      const auto code = static_cast<ExitCode>(shard.exit_code);
      if (shard.status == "failed" &&
          (code == ExitCode::input || code == ExitCode::unavailable || code == ExitCode::internal))
        verdict.code = cli::worse(verdict.code, code);
    }
  }
  return verdict;
}

std::string with_occurrences(const shards::MergedDivergence& one) {
  return fmt::format("{},\"occurrences\":{}}}", one.record.substr(0, one.record.size() - 1),
                     one.occurrences);
}

}  // namespace

ExitCode merge(const MergeOptions& options, const cli::CommonOptions& common) {
  const shards::Merged merged = shards::merge_run(options.run);
  const MergeVerdict verdict = conclude(options, merged);
  const std::string record = campaign_record(merged, verdict);
  const std::string folder = options.run + "/merged";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  io::OutputFile divergences(folder + "/divergences.jsonl");
  for (const shards::MergedDivergence& one : merged.divergences)
    divergences.write(with_occurrences(one) + "\n");
  divergences.commit();
  io::OutputFile summary(folder + "/summary.json");
  summary.write(record + "\n");
  summary.commit();
  if (!common.output.empty()) {
    io::OutputFile file(common.output);
    file.write(record + "\n");
    file.commit();
  }
  cli::StandardOutput out;
  if (common.format == cli::Format::table) {
    out.write(campaign_text(merged, verdict));
  } else {
    out.write(common.format == cli::Format::json ? "[" + record + "]\n" : record + "\n");
  }
  out.flush();
  return verdict.code;
}

}  // namespace toktier::diffcheck
