#pragma once
// Which adjacent symbols merge, with what priority, into what: the inner loop's one lookup.
//
// A hash table of 32-byte buckets with four entries of 8 bytes. Multiplying a pair (2 x s bits) by
// an odd number modulo 2^2s permutes the pairs; the upper bits of the image are the bucket, the
// lower ones, kept in the entry, tell the pairs of a bucket apart. So an entry compares the full
// pair (nothing is answered from a hash) and still has room for the priority and the result: one
// cache line decides nearly every lookup, hit or miss, without a branch that depends on the data.
//
// Immutable after build(); shared by all threads.

#include "base/huge_pages.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <vector>

namespace toktier::bpe {

using Symbol = std::uint32_t;  // a token id, or an internal id past the vocabulary
inline constexpr std::uint32_t kNoPriority = 0xFFFFFFFF;

/// What a pair becomes. Smaller priorities merge first; among equal ones the leftmost pair.
struct Merged {
  std::uint32_t priority = kNoPriority;
  Symbol result = 0;
  bool exists() const { return priority != kNoPriority; }
};

class PairTable {
 public:
  static constexpr std::uint32_t kMaxSymbols = (1U << 21) - 1;
  static constexpr std::uint32_t kMaxPriority = (1U << 22) - 2;
  /// A symbol that is in no pair of any table.
  static constexpr Symbol kNoSymbol = 0xFFFFFFFF;

  struct Entry {
    Symbol left;
    Symbol right;
    std::uint32_t priority;
    Symbol result;
  };
  /// Of entries with the same pair the LAST one counts. Throws Error{unsupported} past the limits.
  void build(const std::vector<Entry>& entries);

  /// Where a pair would be; what a lookup needs once its cache line has arrived.
  struct Probe {
    std::size_t bucket;
    std::uint64_t tag;
  };
  Probe probe(Symbol left, Symbol right) const {
    const std::uint64_t key =
        (std::uint64_t{left} << symbol_bits_ | right) * multiplier_ & key_mask_;
    // A symbol the table has never seen may need more bits than it keeps; no pair has its tag.
    const std::uint64_t known = 0 - std::uint64_t{(left | right) <= symbol_mask_};
    return {static_cast<std::size_t>((key & known) >> rest_bits_),
            (key & known & rest_mask_) | (kNoTag & ~known)};
  }
  /// The probe of no pair.
  static Probe nowhere() { return {0, kNoTag}; }
  void prefetch(Probe p) const { __builtin_prefetch(&slots_[p.bucket * kWays]); }
  Merged resolve(Probe p) const {
    while (true) {
      const std::uint64_t* const e = &slots_[p.bucket * kWays];
      std::uint64_t hit = kFree;
      for (std::size_t i = 0; i < kWays; ++i) hit = (e[i] & tag_mask_) == p.tag ? e[i] : hit;
      // One branch, which overflowing buckets alone take: nothing predicts hits and misses.
      const std::uint64_t go_on = (0 - std::uint64_t{hit == kFree}) & e[0] & kOverflow;
      if (go_on == 0) [[likely]] {
        const auto priority = static_cast<std::uint32_t>(hit >> tag_bits_) & priority_mask_;
        return {hit == kFree ? kNoPriority : priority,
                static_cast<Symbol>(hit >> result_shift_) & symbol_mask_};
      }
      p.bucket = (p.bucket + 1) & bucket_mask_;
      p.tag += std::uint64_t{1} << rest_bits_;  // entries away from home say how far
    }
  }
  Merged find(Symbol left, Symbol right) const { return resolve(probe(left, right)); }

  // For kernels that look many pairs up (lane_step.hpp): the table as plain data. A pair's priority
  // is below priority_mask; kFree reads as priority_mask.
  static constexpr std::size_t kWays = 4;
  static constexpr std::uint64_t kOverflow = std::uint64_t{1} << 63;  // of the bucket, in entry 0
  static constexpr std::uint64_t kFree = ~kOverflow;
  static constexpr std::uint64_t kNoTag = std::uint64_t{1} << 62;  // above every tag mask
  struct View {
    const std::uint64_t* slots;  // a bucket is aligned to its size
    unsigned symbol_bits, rest_bits, tag_bits, result_shift;
    std::uint32_t symbol_mask, priority_mask;
    std::uint64_t key_mask, rest_mask, tag_mask, multiplier;
    std::size_t bucket_mask;
  };
  View view() const {
    return {slots_.data(),  symbol_bits_, rest_bits_, tag_bits_, result_shift_, symbol_mask_,
            priority_mask_, key_mask_,    rest_mask_, tag_mask_, multiplier_,   bucket_mask_};
  }

  std::size_t pairs() const { return pairs_; }
  std::size_t bytes() const { return slots_.size() * sizeof(std::uint64_t); }

 private:
  static constexpr unsigned kFarBits = 3;  // distance from home, at most 6; 7 marks free entries

  void lay_out(unsigned symbol_bits, unsigned priority_bits, unsigned bucket_bits);
  bool insert(const Entry& entry);
  bool insert_all(const std::vector<Entry>& entries);

  base::LargeTable<std::uint64_t> slots_ = base::LargeTable<std::uint64_t>(kWays, kFree);
  // An entry from the lowest bit: rest of the pair, distance, priority, result; overflow on top.
  unsigned symbol_bits_ = 1, rest_bits_ = 0, tag_bits_ = kFarBits, result_shift_ = 4;
  std::uint32_t symbol_mask_ = 0, priority_mask_ = 0;
  std::uint64_t key_mask_ = 0, rest_mask_ = 0, tag_mask_ = (1U << kFarBits) - 1, multiplier_ = 1;
  std::size_t bucket_mask_ = 0;
  std::size_t pairs_ = 0;
};

}  // namespace toktier::bpe
