#pragma once
// The jobs of toktier-encode.

#include "apps/common/program.hpp"
#include "apps/encode/options.hpp"

namespace toktier::encode_app {

cli::ExitCode run_encode(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_inspect(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_decode(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_check_ids(const Options& options, const cli::CommonOptions& common);
cli::ExitCode run_session(const Options& options, const cli::CommonOptions& common);

}  // namespace toktier::encode_app
