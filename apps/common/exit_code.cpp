#include "apps/common/exit_code.hpp"

#include <algorithm>
#include <array>

namespace toktier::cli {
namespace {

constexpr std::array<ExitCode, 7> kWorstFirst = {
    ExitCode::internal, ExitCode::divergence, ExitCode::usage, ExitCode::unavailable,
    ExitCode::input,    ExitCode::stopped,    ExitCode::ok};

}  // namespace

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return ExitCode::usage;
    case ErrorCode::input:
      return ExitCode::input;
    case ErrorCode::unsupported:
      return ExitCode::unavailable;
    case ErrorCode::unavailable:
      return ExitCode::unavailable;
    case ErrorCode::internal:
      return ExitCode::internal;
  }
  return ExitCode::internal;
}

ExitCode worse(ExitCode a, ExitCode b) {
  const auto* found = std::find_if(kWorstFirst.begin(), kWorstFirst.end(),
                                   [&](ExitCode code) { return code == a || code == b; });
  return found == kWorstFirst.end() ? ExitCode::internal : *found;
}

const char* exit_code_help() {
  return "Exit codes:\n"
         "  0   done, something was checked, all agreed\n"
         "  1   a divergence was found, or a gate failed\n"
         "  2   wrong use or configuration\n"
         "  3   input missing or damaged, or nothing was checked\n"
         "  4   an engine, oracle, model or device is missing, refuses the file, or died\n"
         "  70  internal error\n"
         "  75  stopped early by a signal; what was written is valid\n";
}

}  // namespace toktier::cli
