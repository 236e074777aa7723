#pragma once

#include "apps/bench/options.hpp"
#include "apps/common/exit_code.hpp"
#include "apps/common/program.hpp"

namespace toktier::bench {

cli::ExitCode run_encode(const Options& options, const cli::CommonOptions& common);

}  // namespace toktier::bench
