// Compiled for processors with AVX2 and BMI (see CMakeLists.txt).

#if defined(__x86_64__)

#include "bpe/lane_step.hpp"

#include <immintrin.h>

namespace toktier::bpe {
namespace {

struct Avx2 {
  // The four entries of a bucket in one comparison.
  TOKTIER_INLINE static std::uint64_t look(const PairTable::View& t, PairTable::Probe p,
                                           bool& far) {
    const std::uint64_t* const e = t.slots + p.bucket * PairTable::kWays;
    const __m256i entries = _mm256_load_si256(reinterpret_cast<const __m256i*>(e));
    const __m256i tags =
        _mm256_and_si256(entries, _mm256_set1_epi64x(static_cast<long long>(t.tag_mask)));
    const __m256i equal =
        _mm256_cmpeq_epi64(tags, _mm256_set1_epi64x(static_cast<long long>(p.tag)));
    const auto hits = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(equal)));
    // All ones when nothing was found, kept from the compiler, which would make a branch of it: one
    // that is taken at random.
    std::uint64_t none = std::uint64_t{hits != 0} - 1;
    asm("" : "+r"(none));
    far |= static_cast<std::int64_t>(e[0] & none) < 0;
    return (e[_tzcnt_u32(hits) & 3] & ~none) | (PairTable::kFree & none);
  }
  template <class L>
  TOKTIER_INLINE static std::int32_t least(const L& lane) {
    const auto* const keys = reinterpret_cast<const __m256i*>(lane.key);
    __m256i low = _mm256_min_epi32(_mm256_load_si256(keys), _mm256_load_si256(keys + 1));
    for (std::size_t i = 2; i < L::kLongest / 8; i += 2) {
      low = _mm256_min_epi32(
          low, _mm256_min_epi32(_mm256_load_si256(keys + i), _mm256_load_si256(keys + i + 1)));
    }
    __m128i four = _mm_min_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    four = _mm_min_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    four = _mm_min_epi32(four, _mm_shuffle_epi32(four, 0xB1));
    return _mm_cvtsi128_si32(four);
  }
};

bool runs_here() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
}

}  // namespace

constinit const LaneKernel kAvx2Lanes = lane_kernel_of<Avx2>("avx2", runs_here);

}  // namespace toktier::bpe

#endif
