#pragma once
// Which adjacent symbols merge, with what priority, into what: the inner loop's one lookup.
//
// A merge has an index; smaller indices merge first. Open addressing over 8-byte slots that pack
// the pair (2 x 21 bits) and the index (22 bits): one load decides most lookups, hit or miss.

#include "toktier/types.hpp"

#include <cstdint>
#include <vector>

namespace toktier::bpe {

using Symbol = std::uint32_t;      // a token id, or an internal id past the vocabulary
using MergeIndex = std::uint32_t;  // position in priority order
inline constexpr MergeIndex kNoMerge = 0xFFFFFFFF;

class PairTable {
 public:
  static constexpr std::uint32_t kMaxSymbols = (1U << 21) - 1;
  static constexpr std::uint32_t kMaxMerges = (1U << 22) - 1;

  struct Entry {
    Symbol left;
    Symbol right;
    MergeIndex index;
  };
  /// `result[index]` and `priority[index]` by merge index; priorities ascend with the index, equal
  /// ones mean "leftmost decides". Of entries with the same pair the LAST one counts. Throws
  /// Error{unsupported} past the limits.
  void build(const std::vector<Entry>& entries, std::vector<Symbol> result,
             std::vector<std::uint32_t> priority);

  MergeIndex find(Symbol left, Symbol right) const {
    const std::uint64_t key = (static_cast<std::uint64_t>(left) << 21) | right;
    std::size_t slot = hash(key);
    while (true) {
      const std::uint64_t entry = slots_[slot];
      if ((entry >> 22) == key) return static_cast<MergeIndex>(entry & 0x3FFFFF);
      if (entry == kEmpty) return kNoMerge;
      slot = (slot + 1) & mask_;
    }
  }
  Symbol result(MergeIndex index) const { return result_[index]; }
  std::uint32_t priority(MergeIndex index) const { return priority_[index]; }
  /// True when some priorities are equal: then priority(), not the index, must be compared.
  bool has_ties() const { return has_ties_; }
  std::size_t pairs() const { return pairs_; }
  std::size_t bytes() const { return slots_.size() * sizeof(std::uint64_t); }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  std::size_t hash(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> shift_);
  }
  std::vector<std::uint64_t> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 63;
  std::vector<Symbol> result_;
  std::vector<std::uint32_t> priority_;
  bool has_ties_ = false;
  std::size_t pairs_ = 0;
};

}  // namespace toktier::bpe
