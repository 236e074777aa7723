#pragma once
// The inner loop of merge_lanes() for the instruction sets that processors have. All kernels do the
// same merges in the same order; the fastest that the processor runs is taken, or the one that the
// environment variable TOKTIER_LANES names (portable, avx2).

#include "bpe/merge_lane.hpp"

#include <cstddef>
#include <span>

namespace toktier::bpe {

struct LaneKernel {
  /// Steps lanes[first], lanes[first + 1], ... round and round, one merge each, until one has no
  /// merge left; returns its number. first < count.
  template <class L>
  using Advance = std::size_t(const PairTable::View& pairs, L* const* lanes, std::size_t count,
                              std::size_t first);
  const char* name;
  bool (*runs_here)();
  Advance<ShortLane>* advance_short;
  Advance<LongLane>* advance_long;
  Advance<WideLane>* advance_wide;
};

/// All that were compiled in, the slowest first.
std::span<const LaneKernel> lane_kernels();
/// The one in use on this thread. Throws Error{usage} when TOKTIER_LANES names none that runs here.
const LaneKernel& lane_kernel();

/// While this lives the thread uses `kernel`, which must run here and outlive it. For checks of one
/// kernel against another. Not copied, not moved; destroyed on its thread.
class ForcedLaneKernel {
 public:
  explicit ForcedLaneKernel(const LaneKernel& kernel);
  ~ForcedLaneKernel();
  ForcedLaneKernel(const ForcedLaneKernel&) = delete;
  ForcedLaneKernel& operator=(const ForcedLaneKernel&) = delete;

 private:
  const LaneKernel* before_;
};

extern const LaneKernel kPortableLanes;
#if defined(__x86_64__)
extern const LaneKernel kAvx2Lanes;
#endif

}  // namespace toktier::bpe
