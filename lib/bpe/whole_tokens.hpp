#pragma once
// Short tokens by their bytes, for families in which a piece that is a token is taken as it is. One
// 16-byte entry holds the bytes (up to 12), the length and the id, so one cache line decides.
//
// Full key compare. Immutable after finish(); shared by all threads.

#include "base/huge_pages.hpp"
#include "bpe/piece_cache.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace toktier::bpe {

class WholeTokens {
 public:
  static constexpr std::size_t kLongest = 12;
  static constexpr TokenId kMaxId = (1U << 28) - 1;

  /// Room for `tokens` tokens; forgets what was there.
  void start(std::size_t tokens);
  /// 1..kLongest bytes; of equal bytes the last counts.
  void add(std::string_view bytes, TokenId id);

  void prefetch(PieceCache::ShortKey key) const { __builtin_prefetch(&slots_[home(key)]); }
  /// `kNone` when there is no such token; for keys of 1..kLongest bytes.
  TokenId find(PieceCache::ShortKey key) const {
    const std::uint64_t rest = pack(key);
    for (std::size_t slot = home(key);; slot = (slot + 1) & mask_) {
      const Entry& e = slots_[slot];
      if (e.low == key.low && (e.rest & kKeyMask) == rest)
        return static_cast<TokenId>(e.rest >> kIdShift);
      if (e.rest == 0) return kNone;
    }
  }
  static constexpr TokenId kNone = 0xFFFFFFFF;
  std::size_t bytes() const { return slots_.size() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint64_t low = 0;   // bytes 0..7
    std::uint64_t rest = 0;  // bytes 8..11, the length, the id; 0 is free
  };
  static constexpr unsigned kIdShift = 36;
  static constexpr std::uint64_t kKeyMask = (std::uint64_t{1} << kIdShift) - 1;
  static std::uint64_t pack(PieceCache::ShortKey key) {
    return (key.high & 0xFFFFFFFF) | (key.high >> 56) << 32;
  }
  std::size_t home(PieceCache::ShortKey key) const {
    std::uint64_t x = key.low * 0x9E3779B97F4A7C15ULL ^ (pack(key) * 0xC2B2AE3D27D4EB4FULL);
    x ^= x >> 32;
    return static_cast<std::size_t>((x * 0xD6E8FEB86659FD93ULL) >> shift_);
  }
  base::LargeTable<Entry> slots_ = base::LargeTable<Entry>(2);
  std::size_t mask_ = 1;
  unsigned shift_ = 63;
};

}  // namespace toktier::bpe
