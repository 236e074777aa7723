#include "bpe/lane_kernels.hpp"

#include "toktier/error.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace toktier::bpe {
namespace {

thread_local const LaneKernel* forced = nullptr;

const LaneKernel& choose() {
  const char* const wanted = std::getenv("TOKTIER_LANES");
  const LaneKernel* best = nullptr;
  std::string names;
  for (const LaneKernel& kernel : lane_kernels()) {
    if (!kernel.runs_here()) continue;
    names += names.empty() ? kernel.name : std::string(", ") + kernel.name;
    if (wanted == nullptr || std::string_view(wanted) == kernel.name) best = &kernel;
  }
  if (best == nullptr) {
    throw Error(ErrorCode::usage, fmt::format("\"{}\": this processor runs {}", wanted, names),
                "TOKTIER_LANES");
  }
  return *best;
}

}  // namespace

std::span<const LaneKernel> lane_kernels() {
  static const std::vector<LaneKernel> all = {
    kPortableLanes,
#if defined(__x86_64__)
    kAvx2Lanes,
#endif
  };
  return all;
}

const LaneKernel& lane_kernel() {
  static const LaneKernel& chosen = choose();
  return forced != nullptr ? *forced : chosen;
}

ForcedLaneKernel::ForcedLaneKernel(const LaneKernel& kernel) : before_(forced) { forced = &kernel; }

ForcedLaneKernel::~ForcedLaneKernel() { forced = before_; }

}  // namespace toktier::bpe
