#pragma once
// A keyed 64-bit hash and a comparison of short byte strings, for the tables of this project (never
// for fingerprints).
//
// Method: the string is read eight bytes at a time, each word is mixed by a 64 x 64 -> 128 bit
// multiplication whose halves are folded together (the "multiply-fold" construction of the
// public-domain wyhash family). The value depends on the byte order of the machine, so it must not
// be stored in files. Pure and thread-safe.

#include <cstdint>
#include <cstring>
#include <string_view>

namespace toktier::base {

inline std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
  constexpr std::uint64_t kA = 0x9E3779B97F4A7C15ULL;
  constexpr std::uint64_t kB = 0xD6E8FEB86659FD93ULL;
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  std::uint64_t h = multiply_fold(seed ^ kA, n ^ kB);
  std::uint64_t word = 0;
  for (; n >= 8; p += 8, n -= 8) {
    std::memcpy(&word, p, 8);
    h = multiply_fold(word ^ kB, h ^ kA);
  }
  if (n > 0) {
    word = 0;
    // Assembled by hand: a variable-length memcpy is a call, and most tokens end here.
    if (n >= 4) {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::memcpy(&first, p, 4);
      std::memcpy(&last, p + n - 4, 4);
      word = (static_cast<std::uint64_t>(last) << 32) | first;
    } else {
      const auto byte = [p](std::size_t i) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i]));
      };
      word = byte(0) | (byte(n / 2) << 8) | (byte(n - 1) << 16);
    }
    h = multiply_fold(word ^ kB, h ^ kA);
  }
  return multiply_fold(h ^ kB, kA);
}

/// a == b. Tokens are short: comparing them in line with at most two overlapping words beats the
/// call of memcmp.
inline bool equal_bytes(std::string_view a, std::string_view b) {
  const std::size_t n = a.size();
  if (n != b.size()) return false;
  const char* p = a.data();
  const char* q = b.data();
  const auto differ = [&]<class Word>(Word, std::size_t at) {
    Word x = 0;
    Word y = 0;
    std::memcpy(&x, p + at, sizeof(Word));
    std::memcpy(&y, q + at, sizeof(Word));
    return x != y;
  };
  if (n > 16) return std::memcmp(p, q, n) == 0;
  if (n >= 8) return !differ(std::uint64_t{}, 0) && !differ(std::uint64_t{}, n - 8);
  if (n >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, n - 4);
  return n == 0 || (p[0] == q[0] && p[n / 2] == q[n / 2] && p[n - 1] == q[n - 1]);
}

}  // namespace toktier::base
