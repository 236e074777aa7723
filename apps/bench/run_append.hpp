#pragma once
// `toktier-bench append`.

#include "apps/bench/options.hpp"
#include "apps/common/exit_code.hpp"
#include "apps/common/program.hpp"

namespace toktier::bench {

/// A record for each model, context, size of append and interface. Exit code: divergence when some
/// sample's ids, or a peer's, are not those of a cold encode.
cli::ExitCode run_append(const Options& options, const cli::CommonOptions& common);

}  // namespace toktier::bench
