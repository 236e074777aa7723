#pragma once
// One kernel of lane_kernels.hpp; included by each kernel's own file, which names what it looks
// tables up with. Everything here is inlined into that file: it is compiled for processors that the
// rest of the library must not assume, so nothing may be shared with other files through the
// linker.

#include "bpe/lane_kernels.hpp"

namespace toktier::bpe {
namespace {

#define TOKTIER_INLINE [[gnu::always_inline]] inline

/// The bucket of a full one's neighbour: rare, and the same for all kernels.
[[gnu::noinline]] std::uint64_t look_further(const PairTable::View& t, PairTable::Probe p) {
  for (;;) {
    const std::uint64_t* const e = t.slots + p.bucket * PairTable::kWays;
    for (std::size_t i = 0; i < PairTable::kWays; ++i)
      if ((e[i] & t.tag_mask) == p.tag) return e[i];
    if ((e[0] & PairTable::kOverflow) == 0) return PairTable::kFree;
    p.bucket = (p.bucket + 1) & t.bucket_mask;
    p.tag += std::uint64_t{1} << t.rest_bits;
  }
}

TOKTIER_INLINE PairTable::Probe probe_of(const PairTable::View& t, Symbol left, Symbol right) {
  const std::uint64_t key =
      (std::uint64_t{left} << t.symbol_bits | right) * t.multiplier & t.key_mask;
  std::uint64_t known = std::uint64_t{(left | right) > t.symbol_mask} - 1;
  asm("" : "+r"(known));  // a mask, not a branch
  return {static_cast<std::size_t>(key >> t.rest_bits & known),
          (key & t.rest_mask & known) | (PairTable::kNoTag & ~known)};
}

TOKTIER_INLINE std::int32_t smaller(std::int32_t a, std::int32_t b) { return a < b ? a : b; }

/// One merge; false when there is none left. The next step needs what it asked the table to fetch.
template <class Ops, class L>
TOKTIER_INLINE bool step(L& lane, const PairTable::View& t) {
  // The keys of the two places whose lookups were under way are not in memory yet: reading back
  // what was just written would wait for it.
  bool far = false;
  std::uint64_t right = Ops::look(t, lane.right, far), left = Ops::look(t, lane.left, far);
  if (far) [[unlikely]] {
    right = look_further(t, lane.right);
    left = look_further(t, lane.left);
  }
  const auto key_of = [&](std::uint64_t entry, std::uint32_t at) __attribute__((always_inline)) {
    // Of no entry the priority is the largest number there is, which no pair has.
    const std::uint32_t priority =
        static_cast<std::uint32_t>(entry >> t.tag_bits) & t.priority_mask;
    return static_cast<std::int32_t>(priority << L::kPlaceBits | at);
  };
  const std::uint32_t right_at = lane.at, left_at = lane.before;
  const std::int32_t right_key = key_of(right, right_at), left_key = key_of(left, left_at);
  const std::int32_t best = smaller(Ops::least(lane), smaller(right_key, left_key));
  lane.key[right_at] = right_key;
  lane.merged[right_at] = static_cast<Symbol>(right >> t.result_shift) & t.symbol_mask;
  lane.key[left_at] = left_key;
  lane.merged[left_at] = static_cast<Symbol>(left >> t.result_shift) & t.symbol_mask;
  if (static_cast<std::uint32_t>(best) >> L::kPlaceBits >= t.priority_mask) return false;
  const std::uint32_t at = static_cast<std::uint32_t>(best) & (L::kLongest - 1);
  const std::uint32_t gone = lane.following[at];
  const std::uint32_t after = lane.following[gone];
  const std::uint32_t before = lane.preceding[at];
  const Symbol made = lane.merged[at];
  lane.symbol[at] = made;
  lane.key[gone] = lane.key[at] = lane.key[before] = L::kNothing;
  lane.following[at] = static_cast<std::uint8_t>(after);
  lane.preceding[after] = static_cast<std::uint8_t>(at);
  lane.right = probe_of(t, made, lane.symbol[after]);
  lane.left = probe_of(t, lane.symbol[before], made);
  __builtin_prefetch(t.slots + lane.right.bucket * PairTable::kWays);
  __builtin_prefetch(t.slots + lane.left.bucket * PairTable::kWays);
  lane.at = at;
  lane.before = before;
  return true;
}

template <class Ops, class L>
std::size_t advance(const PairTable::View& pairs, L* const* lanes, std::size_t count,
                    std::size_t first) {
  const PairTable::View t = pairs;  // a copy, which the stores into lanes cannot change
  for (std::size_t i = first;;) {
    if (!step<Ops>(*lanes[i], t)) return i;
    if (++i == count) i = 0;
  }
}

template <class Ops>
constexpr LaneKernel lane_kernel_of(const char* name, bool (*runs_here)()) {
  return {name, runs_here, advance<Ops, ShortLane>, advance<Ops, LongLane>, advance<Ops, WideLane>};
}

}  // namespace
}  // namespace toktier::bpe
