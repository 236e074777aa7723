#pragma once
// Workload steps as JSON lines (toktier.workload/1), out and in.

#include "replay/workload.hpp"

#include <string>

namespace toktier::replay {

inline constexpr const char* kWorkloadSchema = "toktier.workload/1";

/// One JSON object without a line end.
std::string workload_line(const WorkStep& step);

/// Gives the steps of a file ("-" = standard input, zstd unpacked) to `sink`, each proved to be
/// possible first. Error{input} with file, line and field of what is wrong. `stop`: as for
/// io::ByteSource. Returns the number of steps.
std::uint64_t read_workload(const std::string& path, WorkSink& sink, int stop = -1);

}  // namespace toktier::replay
