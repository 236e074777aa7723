#pragma once
// A short piece on its way through the merge loop, as plain data: what the kernels
// (lane_kernels.hpp) work on.
//
// The textbook loop: the pair of smallest priority, of equal ones the leftmost, becomes its result,
// until no pair merges. Symbols are a doubly linked list over places 0..N-1; `key` holds, for each
// place, priority and place of the pair that begins there, so that the least key is the next merge.

#include "bpe/pair_table.hpp"

#include <bit>
#include <cstdint>

namespace toktier::bpe {

/// A lane's owner calls start(), fills symbol[0..n) and set()s each pair, lets a kernel work until
/// the lane is finished, and take()s the result.
template <std::uint32_t kSymbols>
struct alignas(64) Lane {
  static constexpr std::uint32_t kLongest = kSymbols;  // a power of two
  static constexpr std::uint32_t kEnd = kLongest, kBegin = kLongest + 1;
  static constexpr unsigned kPlaceBits = std::countr_zero(kLongest);
  static constexpr std::int32_t kNothing = 0x7FFFFFFF;  // a key without a pair
  static_assert(std::has_single_bit(kLongest) && kLongest >= 16);
  static_assert((PairTable::kMaxPriority >> (31 - kPlaceBits)) == 0);

  std::int32_t key[kLongest + 2];
  Symbol merged[kLongest + 2];  // what the pair that begins here becomes
  Symbol symbol[kLongest + 2];  // by place; a symbol that no table knows at both ends
  std::uint8_t following[kLongest + 2], preceding[kLongest + 2];
  // Places whose lookups are on their way, and those lookups.
  std::uint32_t at, before;
  PairTable::Probe right, left;
  std::uint32_t tag;  // the owner's name for the piece

  void start(std::uint32_t n) {
    for (std::uint32_t i = 0; i < kLongest; ++i) {
      key[i] = kNothing;
      following[i] = static_cast<std::uint8_t>(i + 1);
      preceding[i] = static_cast<std::uint8_t>(i - 1);
    }
    preceding[0] = kBegin;
    following[(n - 1) & (kLongest - 1)] = kEnd;
    symbol[kEnd] = symbol[kBegin] = PairTable::kNoSymbol;
    at = before = kEnd;
    right = left = PairTable::nowhere();
  }
  void set(std::uint32_t place, Merged pair) {
    merged[place] = pair.result;
    key[place] =
        pair.exists() ? static_cast<std::int32_t>(pair.priority << kPlaceBits | place) : kNothing;
  }
  /// What the piece has become, for kLongest symbols of room; returns how many.
  std::size_t take(Symbol* out) const {
    std::size_t n = 0;
    for (std::uint32_t i = 0; i != kEnd; i = following[i]) out[n++] = symbol[i];
    return n;
  }
};

using ShortLane = Lane<16>;
using LongLane = Lane<32>;
using WideLane = Lane<64>;

}  // namespace toktier::bpe
