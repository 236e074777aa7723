#pragma once
// SIGINT and SIGTERM: the first asks the program to finish what is in flight, a second ends it at
// once. SIGPIPE is ignored, so that a closed pipe shows up where it is written. Process-wide; call
// install_signals() once, first.

#include <atomic>

namespace toktier::cli {

void install_signals();

/// Set by the first signal, read by anybody.
const std::atomic<bool>& stop_flag();

}  // namespace toktier::cli
