#include "bpe/piece_cache.hpp"

namespace toktier::bpe {
namespace {

constexpr std::uint64_t low_bytes(std::size_t n) {
  return n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
}
constexpr std::uint64_t high_bytes(std::size_t n) { return n <= 8 ? 0 : low_bytes(n - 8); }

}  // namespace

#define TOKTIER_MASK_ROW(f)                                                                        \
  {                                                                                                \
    f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), \
        f(15)                                                                                      \
  }
const std::uint64_t PieceCache::kLowMask[16] = TOKTIER_MASK_ROW(low_bytes);
const std::uint64_t PieceCache::kHighMask[16] = TOKTIER_MASK_ROW(high_bytes);
#undef TOKTIER_MASK_ROW

}  // namespace toktier::bpe
