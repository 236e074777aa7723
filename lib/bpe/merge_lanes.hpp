#pragma once
// The merge loop for many short pieces at once. A merge waits for the memory behind two lookups in
// the pair table; a dozen pieces advance in turns, so that those waits overlap.
//
// Each lane runs the textbook loop on its own piece: the pair of smallest priority, of equal ones
// the leftmost, becomes its result, until no pair merges. Lanes share nothing, so what a piece
// becomes does not depend on its neighbours.

#include "bpe/pair_table.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace toktier::bpe {

/// A short piece on its way. A lane's owner fills `symbol[0..n)` and `merged[0..n-1)` (what
/// symbols i and i + 1 become) and reads the result in `symbol` by next() from 0 to kEnd.
template <std::uint32_t kSymbols>
class Lane {
 public:
  static constexpr std::uint32_t kLongest = kSymbols;  // a power of two
  static constexpr std::uint32_t kEnd = kLongest;

  Symbol symbol[kLongest + 2];
  std::uint32_t tag = 0;  // the owner's name for the piece

  /// Call first; then symbol[i] and set() for each pair.
  void start(std::uint32_t n) {
    for (std::uint32_t i = 0; i < kLongest; ++i) {
      key_[i] = kNothing;
      next_[i] = static_cast<std::uint8_t>(i + 1);
      previous_[i] = static_cast<std::uint8_t>(i - 1);
    }
    previous_[0] = kBegin;
    next_[(n - 1) & (kLongest - 1)] = kEnd;
    symbol[kEnd] = symbol[kBegin] = 0;
    at_ = before_ = kEnd;
    right_ = left_ = PairTable::nowhere();
  }
  void set(std::uint32_t at, Merged merged) {
    merged_[at] = merged.result;
    key_[at] = key_of(merged, at);
  }
  std::uint32_t next(std::uint32_t at) const { return next_[at]; }
  /// What the piece has become, for kLongest symbols of room; returns how many.
  std::size_t take(Symbol* out) const {
    std::size_t n = 0;
    for (std::uint32_t at = 0; at != kEnd; at = next_[at]) out[n++] = symbol[at];
    return n;
  }

  /// One merge; false when there is none left. The next step needs what it asked `pairs` to fetch.
  bool step(const PairTable& pairs) {
    // The keys of the two places whose lookups were under way are not in memory yet: reading back
    // what was just written would wait for it.
    const Merged right = pairs.resolve(right_), left = pairs.resolve(left_);
    const std::int32_t right_key = key_of(right, at_), left_key = key_of(left, before_);
    const std::int32_t best = std::min(least(), std::min(right_key, left_key));
    key_[at_] = right_key;
    merged_[at_] = right.result;
    key_[before_] = left_key;
    merged_[before_] = left.result;
    if (best == kNothing) return false;
    const std::uint32_t at = static_cast<std::uint32_t>(best) & (kLongest - 1);
    const std::uint32_t gone = next_[at];
    const std::uint32_t after = next_[gone];
    const std::uint32_t before = previous_[at];
    symbol[at] = merged_[at];
    key_[gone] = key_[at] = key_[before] = kNothing;
    next_[at] = static_cast<std::uint8_t>(after);
    previous_[after] = static_cast<std::uint8_t>(at);
    const PairTable::Probe to_right = pairs.probe(symbol[at], symbol[after]);
    const PairTable::Probe to_left = pairs.probe(symbol[before], symbol[at]);
    right_ = after == kEnd ? PairTable::nowhere() : to_right;
    left_ = before == kBegin ? PairTable::nowhere() : to_left;
    pairs.prefetch(right_);
    pairs.prefetch(left_);
    at_ = at;
    before_ = before;
    return true;
  }

 private:
  static constexpr std::uint32_t kBegin = kLongest + 1;
  static constexpr std::int32_t kNothing = 0x7FFFFFFF;
  static constexpr unsigned kPlaceBits = std::countr_zero(kLongest);
  static_assert(std::has_single_bit(kLongest) && kLongest >= 4);
  static_assert((PairTable::kMaxPriority >> (31 - kPlaceBits)) == 0);

  static std::int32_t key_of(Merged merged, std::uint32_t at) {
    return merged.exists() ? static_cast<std::int32_t>(merged.priority << kPlaceBits | at)
                           : kNothing;
  }
  // Four minima side by side (the compiler makes vector instructions of them), then their minimum.
  std::int32_t least() const {
    using Four __attribute__((vector_size(16))) = std::int32_t;
    Four low, next;
    std::memcpy(&low, key_, sizeof low);
    for (std::uint32_t i = 4; i < kLongest; i += 4) {
      std::memcpy(&next, key_ + i, sizeof next);
      low = low < next ? low : next;
    }
    return std::min(std::min(low[0], low[1]), std::min(low[2], low[3]));
  }

  alignas(16) std::int32_t key_[kLongest + 2];  // priority and place of the pair that begins here
  Symbol merged_[kLongest + 2];
  std::uint8_t next_[kLongest + 2], previous_[kLongest + 2];
  std::uint32_t at_, before_;  // the places whose lookups are on their way
  PairTable::Probe right_, left_;
};

/// Runs pieces through lanes. `load(lane)` starts the next piece and returns false when there are
/// no more; `done(lane)` takes a finished one (in any order).
template <std::uint32_t kSymbols, class Load, class Done>
void merge_lanes(const PairTable& pairs, Load&& load, Done&& done) {
  constexpr std::size_t kLanes = 12;
  Lane<kSymbols> lanes[kLanes];
  Lane<kSymbols>* running[kLanes];
  std::size_t count = 0;
  for (Lane<kSymbols>& lane : lanes) {
    if (!load(lane)) break;
    running[count++] = &lane;
  }
  while (count > 0) {
    for (std::size_t i = 0; i < count;) {
      if (running[i]->step(pairs)) {
        ++i;
        continue;
      }
      done(*running[i]);
      if (!load(*running[i])) running[i] = running[--count];
    }
  }
}

}  // namespace toktier::bpe
