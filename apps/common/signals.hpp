#pragma once
// SIGINT and SIGTERM end a program at once, with the code for "stopped early", as long as it has
// nothing to finish. From finish_on_signal() on the first one asks it to finish what is in flight,
// a second ends it at once. SIGPIPE is ignored, so that a closed pipe shows up where it is written.
// Process-wide; call install_signals() once, first.

#include <atomic>

namespace toktier::cli {

void install_signals();

/// Call before results, temporary files or processes exist, and look at stop_flag() from then on.
void finish_on_signal();

/// Set by the first signal, read by anybody.
const std::atomic<bool>& stop_flag();

/// Readable from the first signal on: waiting for input can wait for this too (-1: not to be had).
int stop_descriptor();

}  // namespace toktier::cli
