#pragma once
// The sub-commands.

#include "apps/common/program.hpp"
#include "apps/diffcheck/options.hpp"

#include <string>
#include <vector>

namespace toktier::diffcheck {

cli::ExitCode run(const RunOptions& options, const cli::CommonOptions& common,
                  const std::vector<std::string>& command);
cli::ExitCode gate(const GateOptions& options, const cli::CommonOptions& common,
                   const std::vector<std::string>& command);
cli::ExitCode list(const ListOptions& options, const cli::CommonOptions& common);

}  // namespace toktier::diffcheck
