#pragma once
// The merge loop for many short pieces at once. A merge waits for the memory behind two lookups in
// the pair table; a dozen pieces advance in turns, so that those waits overlap. Lanes share
// nothing, so what a piece becomes does not depend on its neighbours.

#include "bpe/lane_kernels.hpp"

#include <type_traits>

namespace toktier::bpe {

/// Runs pieces through lanes. `load(lane)` starts the next piece and returns false when there are
/// no more; `done(lane)` takes a finished one (in any order).
template <class L, class Load, class Done>
void merge_lanes(const PairTable& pairs, Load&& load, Done&& done,
                 const LaneKernel& kernel = lane_kernel()) {
  constexpr std::size_t kLanes = 12;
  L lanes[kLanes];
  L* running[kLanes];
  std::size_t count = 0;
  for (L& lane : lanes) {
    if (!load(lane)) break;
    running[count++] = &lane;
  }
  if (count == 0) return;
  const PairTable::View view = pairs.view();
  for (std::size_t at = 0;;) {
    if constexpr (std::is_same_v<L, ShortLane>)
      at = kernel.advance_short(view, running, count, at);
    else if constexpr (std::is_same_v<L, LongLane>)
      at = kernel.advance_long(view, running, count, at);
    else
      at = kernel.advance_wide(view, running, count, at);
    done(*running[at]);
    if (load(*running[at])) {
      if (++at == count) at = 0;
      continue;
    }
    running[at] = running[--count];
    if (count == 0) return;
    if (at == count) at = 0;
  }
}

}  // namespace toktier::bpe
