#pragma once
// Piece bytes to ids, bounded, per worker. A piece's ids are a function of its bytes alone, so a
// hit, a miss and an eviction differ in time only. Full key compare: nothing is answered from a
// hash.
//
// Pieces of 1..15 bytes (longer ones: long_cache.hpp) in 32-byte entries, two to a cache line; a
// line is one set. The table grows by doubling up to the budget; then new entries replace old ones.
// There is no wipe. A budget of 0 switches the cache off.

#include "base/zero_table.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace toktier::bpe {

class PieceCache {
 public:
  static constexpr std::size_t kMaxShort = 15, kMaxShortIds = 4;
  static constexpr std::uint32_t kMaxId = (1U << 29) - 1;

  explicit PieceCache(std::size_t budget_bytes);

  struct ShortKey {
    std::uint64_t low, high;  // bytes 0..7; bytes 8..14 and the length in the top byte
  };
  struct alignas(32) ShortEntry {
    ShortKey key;
    std::uint32_t ids[kMaxShortIds];  // count in the top 3 bits of ids[0]; 0 = free
  };

  /// `readable`: at least 16 bytes may be read at `p`.
  static ShortKey short_key(const char* p, std::size_t n, bool readable) {
    std::uint64_t low = 0, high = 0;
    if (readable) {
      std::memcpy(&low, p, 8);
      std::memcpy(&high, p + 8, 8);
      low &= kLowMask[n];
      high &= kHighMask[n];
    } else {
      char buffer[16] = {};
      std::memcpy(buffer, p, n);
      std::memcpy(&low, buffer, 8);
      std::memcpy(&high, buffer + 8, 8);
    }
    return {low, high | (static_cast<std::uint64_t>(n) << 56)};
  }
  static std::size_t length(ShortKey key) { return (key.high >> 56) & 0x7F; }
  /// A second key space for the same bytes; only the length keeps its meaning.
  static ShortKey marked(ShortKey key) { return {key.low, key.high | std::uint64_t{1} << 63}; }
  static bool is_marked(ShortKey key) { return (key.high >> 63) != 0; }
  std::size_t set_of(ShortKey key) const {
    std::uint64_t x = key.low * 0x9E3779B97F4A7C15ULL ^ (key.high * 0xC2B2AE3D27D4EB4FULL);
    x ^= x >> 32;
    return static_cast<std::size_t>((x * 0xD6E8FEB86659FD93ULL) >> short_shift_);
  }
  void prefetch(std::size_t set) const { __builtin_prefetch(&short_[set * 2]); }
  struct Found {
    const ShortEntry* entry;  // readable, hit or not
    bool hit;
  };
  /// Without a branch that depends on the data.
  Found find_in_set(ShortKey key, std::size_t set) const {
    const ShortEntry* e = &short_[set * 2];
    const bool first = ((e[0].key.low ^ key.low) | (e[0].key.high ^ key.high)) == 0;
    const bool second = ((e[1].key.low ^ key.low) | (e[1].key.high ^ key.high)) == 0;
    return {e + static_cast<int>(second), static_cast<bool>(first | second)};
  }
  /// nullptr on a miss.
  const ShortEntry* find(ShortKey key, std::size_t set) const {
    const ShortEntry* e = &short_[set * 2];
    if (e[0].key.low == key.low && e[0].key.high == key.high) return e;
    if (e[1].key.low == key.low && e[1].key.high == key.high) return e + 1;
    return nullptr;
  }
  /// A set that is full spills into its neighbour; asked only after find() missed.
  static std::size_t neighbour(std::size_t set) { return set ^ 1; }
  const ShortEntry* find_spilled(ShortKey key, std::size_t set) const {
    return find(key, neighbour(set));
  }
  const ShortEntry* find_anywhere(ShortKey key) const {
    const std::size_t set = set_of(key);
    const ShortEntry* hit = find(key, set);
    return hit != nullptr ? hit : find_spilled(key, set);
  }
  static std::uint32_t count(const ShortEntry& e) { return e.ids[0] >> 29; }

  void insert_short(ShortKey key, const TokenId* ids, std::size_t n);

  bool enabled() const { return budget_ != 0; }
  std::size_t bytes() const { return short_.size() * sizeof(ShortEntry); }

 private:
  static const std::uint64_t kLowMask[16];
  static const std::uint64_t kHighMask[16];
  void grow_short();
  ShortEntry* place_for(std::size_t set);

  std::size_t budget_;
  base::ZeroTable<ShortEntry> short_;
  unsigned short_shift_ = 63;
  std::size_t short_used_ = 0;
  bool short_full_ = false;
};

}  // namespace toktier::bpe
