#pragma once
// Our own side of a measurement, in a fresh process like every peer: answers the frames of wire.hpp
// on standard input and output. A pass encodes each document with one scratch space that is new at
// load and joins the ids of all documents in memory, as a caller of a batch would want them.

#include "apps/common/exit_code.hpp"

#include <string>

namespace toktier::bench {

/// `version` is what load answers.
cli::ExitCode run_worker(const std::string& version);

}  // namespace toktier::bench
