#include "bpe/lane_step.hpp"

#include <cstring>

namespace toktier::bpe {
namespace {

struct Portable {
  TOKTIER_INLINE static std::uint64_t look(const PairTable::View& t, PairTable::Probe p,
                                           bool& far) {
    const std::uint64_t* const e = t.slots + p.bucket * PairTable::kWays;
    std::uint64_t hit = PairTable::kFree;
    for (std::size_t i = 0; i < PairTable::kWays; ++i)
      hit = (e[i] & t.tag_mask) == p.tag ? e[i] : hit;
    far |= hit == PairTable::kFree && (e[0] & PairTable::kOverflow) != 0;
    return hit;
  }
  // Four minima side by side (the compiler makes vector instructions of them), then their minimum.
  template <class L>
  TOKTIER_INLINE static std::int32_t least(const L& lane) {
    using Four __attribute__((vector_size(16))) = std::int32_t;
    Four low, next;
    std::memcpy(&low, lane.key, sizeof low);
    for (std::uint32_t i = 4; i < L::kLongest; i += 4) {
      std::memcpy(&next, lane.key + i, sizeof next);
      low = low < next ? low : next;
    }
    return smaller(smaller(low[0], low[1]), smaller(low[2], low[3]));
  }
};

}  // namespace

constinit const LaneKernel kPortableLanes =
    lane_kernel_of<Portable>("portable", [] { return true; });

}  // namespace toktier::bpe
