#include "base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace toktier::base {
namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS
// 180-4, 4.2.2).
alignas(16) constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::array<std::uint32_t, 8> kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t load_big_endian(const unsigned char* p) {
  return (static_cast<std::uint32_t>(p[0]) << 24) | (static_cast<std::uint32_t>(p[1]) << 16) |
         (static_cast<std::uint32_t>(p[2]) << 8) | static_cast<std::uint32_t>(p[3]);
}

void compress_portable(std::array<std::uint32_t, 8>& state, const unsigned char* block,
                       std::size_t count) {
  std::array<std::uint32_t, 64> w{};
  for (; count > 0; --count, block += 64) {
    for (std::size_t i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15];
      const std::uint32_t b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    std::array<std::uint32_t, 8> s = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t sum1 = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
      const std::uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const std::uint32_t t1 = s[7] + sum1 + choose + kRound[i] + w[i];
      const std::uint32_t sum0 = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
      const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      std::copy_backward(s.begin(), s.end() - 1, s.end());
      s[4] += t1;
      s[0] = t1 + sum0 + majority;
    }
    for (std::size_t i = 0; i < 8; ++i) state[i] += s[i];
  }
}

#if defined(__x86_64__)
// The message schedule is kept in four registers; every step makes four new words from them with
// the sha256msg1/sha256msg2 instructions, as the instruction set reference describes.
__attribute__((target("sha,sse4.1,ssse3"))) void compress_instructions(
    std::array<std::uint32_t, 8>& state, const unsigned char* block, std::size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const auto load = [](const void* p) {
    __m128i v;
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  // Registers hold (A,B,E,F) and (C,D,G,H), high word first.
  const __m128i abcd = _mm_shuffle_epi32(load(state.data()), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(load(state.data() + 4), 0x1B);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xF0);
  for (; count > 0; --count, block += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i w[4];
    for (std::size_t i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(block + 16 * i), swap);
    for (std::size_t i = 0; i < 16; ++i) {
      const __m128i now = w[i % 4];
      __m128i key = _mm_add_epi32(now, load(kRound.data() + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, key);
      key = _mm_shuffle_epi32(key, 0x0E);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, key);
      if (i < 12) {
        const __m128i next = w[(i + 1) % 4];
        const __m128i last = w[(i + 3) % 4];
        const __m128i middle = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
        w[i % 4] =
            _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, next), middle), last);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  const __m128i dcba = _mm_blend_epi16(feba, dchg, 0xF0);
  const __m128i hgfe = _mm_alignr_epi8(dchg, feba, 8);
  std::memcpy(state.data(), &dcba, 16);
  std::memcpy(state.data() + 4, &hgfe, 16);
}
#endif

}  // namespace

bool Sha256::cpu_has_sha_instructions() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  const bool sha = (b & (1U << 29)) != 0;
  return sha && __builtin_cpu_supports("sse4.1") != 0 && __builtin_cpu_supports("ssse3") != 0;
#else
  return false;
#endif
}

Sha256::Sha256(Kernel kernel)
    : state_(kStart), use_instructions_(kernel != Kernel::portable && cpu_has_sha_instructions()) {}

void Sha256::compress(const unsigned char* blocks, std::size_t count) {
#if defined(__x86_64__)
  if (use_instructions_) {
    compress_instructions(state_, blocks, count);
    return;
  }
#endif
  compress_portable(state_, blocks, count);
}

void Sha256::update(std::string_view bytes) {
  total_ += bytes.size();
  if (pending_size_ > 0) {
    const std::size_t take = std::min(bytes.size(), pending_.size() - pending_size_);
    std::memcpy(pending_.data() + pending_size_, bytes.data(), take);
    pending_size_ += take;
    bytes.remove_prefix(take);
    if (pending_size_ < pending_.size()) return;
    compress(pending_.data(), 1);
    pending_size_ = 0;
  }
  const std::size_t whole = bytes.size() / 64;
  if (whole > 0) {
    compress(reinterpret_cast<const unsigned char*>(bytes.data()), whole);
    bytes.remove_prefix(whole * 64);
  }
  if (!bytes.empty()) {
    std::memcpy(pending_.data(), bytes.data(), bytes.size());
    pending_size_ = bytes.size();
  }
}

std::string Sha256::hex() {
  const std::uint64_t bits = total_ * 8;
  std::string tail(1, '\x80');
  tail.append((119 - total_ % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) tail.push_back(static_cast<char>(bits >> shift));
  update(tail);
  std::string out;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4)
      out.push_back("0123456789abcdef"[(word >> shift) & 15U]);
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sha;
  sha.update(bytes);
  return sha.hex();
}

}  // namespace toktier::base
