#pragma once
// The sub-commands.

#include "apps/common/program.hpp"
#include "apps/replay/options.hpp"

namespace toktier::replay_app {

cli::ExitCode run(const Options& options, const cli::CommonOptions& common);

cli::ExitCode run_list(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_check(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_convert(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_render(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_stats(const Options& options, const cli::CommonOptions& common);

}  // namespace toktier::replay_app
