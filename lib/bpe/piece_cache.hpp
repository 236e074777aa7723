#pragma once
// Piece bytes to ids, bounded, per worker. A piece's ids are a function of its bytes alone, so a
// hit, a miss and an eviction differ in time only (key_cache.hpp).
//
// Pieces of 1..15 bytes are keys of 16 bytes, two entries to a cache line (PieceCache); those of
// 16..31 bytes keys of 32, an entry to a line (MediumCache). Longer ones: long_cache.hpp.

#include "bpe/key_cache.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace toktier::bpe {

/// Bytes 0..7 of a piece; bytes 8..14 and the length in the top byte, whose top bit is the mark.
struct ShortKey {
  std::uint64_t low, high;
  std::uint64_t hash() const {
    std::uint64_t x = low * 0x9E3779B97F4A7C15ULL ^ (high * 0xC2B2AE3D27D4EB4FULL);
    x ^= x >> 32;
    return x * 0xD6E8FEB86659FD93ULL;
  }
  bool operator==(const ShortKey& other) const {
    return ((low ^ other.low) | (high ^ other.high)) == 0;
  }
};

/// The same with 31 bytes.
struct MediumKey {
  std::uint64_t word[4];
  static constexpr std::size_t kShortest = 16, kLongest = 31;
  std::uint64_t hash() const {
    std::uint64_t x = word[0] * 0x9E3779B97F4A7C15ULL ^ word[1] * 0xC2B2AE3D27D4EB4FULL;
    std::uint64_t y = word[2] * 0xD6E8FEB86659FD93ULL ^ word[3] * 0xA0761D6478BD642FULL;
    x ^= x >> 32 ^ y ^ y >> 29;
    return x * 0xD6E8FEB86659FD93ULL;
  }
  bool operator==(const MediumKey& other) const {
    return ((word[0] ^ other.word[0]) | (word[1] ^ other.word[1]) | (word[2] ^ other.word[2]) |
            (word[3] ^ other.word[3])) == 0;
  }
  /// 16..31 bytes; `readable`: at least 32 bytes may be read at `p`.
  static MediumKey of(const char* p, std::size_t n, bool readable, bool marked) {
    MediumKey key{};
    if (readable) {
      std::memcpy(key.word, p, 32);
      key.word[2] &= n >= 24 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * (n - 16))) - 1;
      key.word[3] &= n <= 24 ? 0 : (std::uint64_t{1} << (8 * (n - 24))) - 1;
    } else {
      std::memcpy(key.word, p, n);
    }
    key.word[3] |= static_cast<std::uint64_t>(n) << 56 | static_cast<std::uint64_t>(marked) << 63;
    return key;
  }
  std::size_t length() const { return word[3] >> 56 & 0x7F; }
  /// Of a piece in UTF-8 that begins and ends between characters.
  std::size_t characters() const {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint64_t sums = 0;  // bytes that continue a character, by place in the word
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint64_t bytes = i < 3 ? word[i] : word[i] << 8;  // without the length
      sums += bytes >> 7 & ~(bytes >> 6) & kOnes;
    }
    return length() - (sums * kOnes >> 56);
  }
  bool marked() const { return word[3] >> 63 != 0; }
  /// Valid as long as the key.
  std::string_view bytes() const { return {reinterpret_cast<const char*>(word), length()}; }
};

class MediumCache : public KeyCache<MediumKey, 8> {
 public:
  explicit MediumCache(std::size_t budget_bytes) : KeyCache(budget_bytes, 1U << 9) {}  // 32 KiB
};

class PieceCache : public KeyCache<ShortKey, 4> {
 public:
  using ShortKey = bpe::ShortKey;
  using ShortEntry = Entry;
  static constexpr std::size_t kMaxShort = 15, kMaxShortIds = kMaxIds;

  explicit PieceCache(std::size_t budget_bytes) : KeyCache(budget_bytes, 1U << 12) {}  // 128 KiB

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
  static constexpr std::uint64_t kMark = std::uint64_t{1} << 63;
  static ShortKey marked(ShortKey key) { return {key.low, key.high | kMark}; }
  static bool is_marked(ShortKey key) { return (key.high >> 63) != 0; }

 private:
  static const std::uint64_t kLowMask[16];
  static const std::uint64_t kHighMask[16];
};

}  // namespace toktier::bpe
