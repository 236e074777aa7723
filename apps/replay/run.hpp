#pragma once
// The sub-commands.

#include "apps/common/program.hpp"
#include "apps/replay/options.hpp"

#include <string>
#include <vector>

namespace toktier::replay_app {

/// `command`: the words of the command line, for records.
cli::ExitCode run(const Options& options, const cli::CommonOptions& common,
                  const std::vector<std::string>& command);

cli::ExitCode run_list(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_check(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_convert(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_render(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_stats(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_gen(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_replay(const Options& options, const cli::CommonOptions& common,
                         const std::vector<std::string>& command);

cli::ExitCode run_timed(const Options& options, const cli::CommonOptions& common,
                        const std::vector<std::string>& command);

}  // namespace toktier::replay_app
