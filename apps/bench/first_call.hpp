#pragma once
// The first call of a program: a whole process from its start to its end, once.

#include "apps/bench/wire.hpp"

#include <string>
#include <vector>

namespace toktier::bench {

struct ProcessRun {
  Seconds time;  // wall from start to end; processor time of the process, all its threads
  int exit_code = -1;
  std::string output;
};

/// Runs a command to its end; its standard input is empty, its standard error ours.
/// Error{unavailable} when it cannot be started.
ProcessRun run_process(const std::vector<std::string>& command);

/// The number of ids that a first call printed: a bare number, or a record with "count".
/// Error{unavailable} when it ended with an error or printed something else.
std::uint64_t printed_count(const ProcessRun& run);

}  // namespace toktier::bench
