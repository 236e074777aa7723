#pragma once
// The sub-commands.

#include "apps/common/program.hpp"
#include "apps/diffcheck/options.hpp"

#include <string>
#include <vector>

namespace toktier::diffcheck {

/// `first`: a record of toktier.health/1 that goes before the others, and its text; may be empty.
struct Preface {
  std::string record, text;
};
cli::ExitCode run(const RunOptions& options, const cli::CommonOptions& common,
                  const std::vector<std::string>& command, const Preface& preface = {});
cli::ExitCode gate(const GateOptions& options, const cli::CommonOptions& common,
                   const std::vector<std::string>& command);
cli::ExitCode verify(const VerifyOptions& options, const cli::CommonOptions& common,
                     const std::vector<std::string>& command);
cli::ExitCode plan(const PlanOptions& options, const cli::CommonOptions& common);
/// run --plan: `conduct` has what the plan leaves open.
cli::ExitCode run_shard(const ShardOptions& options, const RunOptions& conduct,
                        const cli::CommonOptions& common, const std::vector<std::string>& command);
cli::ExitCode merge(const MergeOptions& options, const cli::CommonOptions& common);
cli::ExitCode report(const ReportOptions& options, const cli::CommonOptions& common);
cli::ExitCode compare(const CompareOptions& options, const cli::CommonOptions& common);
cli::ExitCode show(const DivergenceOptions& options, const cli::CommonOptions& common);
cli::ExitCode repro(const DivergenceOptions& options, const cli::CommonOptions& common);
cli::ExitCode shrink(const DivergenceOptions& options, const cli::CommonOptions& common);
cli::ExitCode list(const ListOptions& options, const cli::CommonOptions& common);

}  // namespace toktier::diffcheck
