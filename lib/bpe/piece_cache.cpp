#include "bpe/piece_cache.hpp"

#include <bit>

namespace toktier::bpe {
namespace {

constexpr std::size_t kFirstShortEntries = 1U << 12;  // 128 KiB
constexpr std::size_t kSmallBytes = std::size_t{2} << 20;

constexpr std::uint64_t low_bytes(std::size_t n) {
  return n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * n)) - 1;
}

}  // namespace

#define TOKTIER_MASK_ROW(f)                                                                        \
  {                                                                                                \
    f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8), f(9), f(10), f(11), f(12), f(13), f(14), \
        f(15)                                                                                      \
  }
constexpr std::uint64_t high_bytes(std::size_t n) { return n <= 8 ? 0 : low_bytes(n - 8); }
const std::uint64_t PieceCache::kLowMask[16] = TOKTIER_MASK_ROW(low_bytes);
const std::uint64_t PieceCache::kHighMask[16] = TOKTIER_MASK_ROW(high_bytes);
#undef TOKTIER_MASK_ROW

PieceCache::PieceCache(std::size_t budget_bytes) : budget_(budget_bytes) {
  // A cache that is off keeps one never-filled set, so that find() needs no test.
  const bool on = budget_ != 0;
  short_ = base::ZeroTable<ShortEntry>(on ? kFirstShortEntries : 4);
  short_shift_ = 64U - static_cast<unsigned>(std::countr_zero(short_.size() / 2));
}

void PieceCache::insert_short(ShortKey key, const TokenId* ids, std::size_t n) {
  if (!enabled() || n > kMaxShortIds || n == 0) return;
  for (std::size_t i = 0; i < n; ++i)
    if (ids[i] > kMaxId) return;
  if (!short_full_ && short_used_ * 2 > short_.size()) grow_short();
  ShortEntry* place = place_for(set_of(key));
  short_used_ += count(*place) == 0;
  place->key = key;
  for (std::size_t i = 0; i < n; ++i) place->ids[i] = ids[i];
  place->ids[0] |= static_cast<std::uint32_t>(n) << 29;
}

// First come keeps the first place: frequent pieces are met early. A full set spills into its
// neighbour; when that is full too, the second entry of the own set goes.
PieceCache::ShortEntry* PieceCache::place_for(std::size_t set) {
  ShortEntry* own = &short_[set * 2];
  ShortEntry* neighbour = &short_[(set ^ 1) * 2];
  for (ShortEntry* e : {own, own + 1, neighbour, neighbour + 1})
    if (count(*e) == 0) return e;
  return own + 1;
}

void PieceCache::grow_short() {
  // While small it grows faster: every step moves all entries.
  const std::size_t factor = short_.size() * sizeof(ShortEntry) < kSmallBytes ? 4 : 2;
  const std::size_t larger = short_.size() * factor;
  if (larger * sizeof(ShortEntry) > budget_) {
    short_full_ = true;
    return;
  }
  base::ZeroTable<ShortEntry> old(larger);
  old.swap(short_);
  short_shift_ = 64U - static_cast<unsigned>(std::countr_zero(larger / 2));
  short_used_ = 0;
  // First entries of all sets before second ones, so that they keep their first places.
  for (std::size_t way = 0; way < 2; ++way) {
    for (std::size_t i = way; i < old.size(); i += 2) {
      if (count(old[i]) == 0) continue;
      ShortEntry* place = place_for(set_of(old[i].key));
      if (count(*place) != 0) continue;
      *place = old[i];
      ++short_used_;
    }
  }
}

}  // namespace toktier::bpe
