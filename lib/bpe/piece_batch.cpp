#include "bpe/piece_batch.hpp"

#include <algorithm>

namespace toktier::bpe {
namespace {

constexpr std::size_t kTwinSlots = PieceBatch::kItems * 2;
constexpr std::uint16_t kFreeTwin = 0xFFFF;

}  // namespace

PieceBatch::PieceBatch()
    : keys_(kItems),
      sets_(kItems),
      value_store_(kItems * PieceCache::kMaxShortIds),
      missed_(kItems + 1),
      twins_(kTwinSlots, kFreeTwin) {
  values_ = reinterpret_cast<TokenId(*)[PieceCache::kMaxShortIds]>(value_store_.data());
}

void PieceBatch::clear() {
  count_ = probed_ = misses_ = bytes_ = 0;
  spill_.clear();
  late_.clear();
  if (twins_used_) std::fill(twins_.begin(), twins_.end(), kFreeTwin);
  twins_used_ = false;
}

std::size_t PieceBatch::first_with_key(std::size_t item) {
  twins_used_ = true;
  const Key key = keys_[item];
  std::uint64_t x = (key.low ^ (key.high << 7)) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 29) ^ key.high) * 0xD6E8FEB86659FD93ULL;
  for (std::size_t slot = x >> 40;; ++slot) {
    std::uint16_t& twin = twins_[slot & (kTwinSlots - 1)];
    if (twin == kFreeTwin) {
      twin = static_cast<std::uint16_t>(item);
      return item;
    }
    if (keys_[twin].low == key.low && keys_[twin].high == key.high) return twin;
  }
}

void PieceBatch::emit(TokenSink& out) {
  // A piece never gives more tokens than it has bytes, but unknown characters and affixes may: what
  // was spilled counts besides. 4 more for the unconditional 16-byte store.
  out.reserve(bytes_ + spill_.size() + PieceCache::kMaxShortIds);
  for (const Late& late : late_) std::memcpy(values_[late.item], late.value, sizeof values_[0]);
  TokenId* const begin = out.cursor();
  TokenId* to = begin;
  for (std::size_t i = 0; i < count_; ++i) {
    const TokenId* const value = values_[i];
    const std::uint32_t n = value[0] >> 29;
    if (n != 0) [[likely]] {
      std::memcpy(to, value, sizeof values_[0]);
      to[0] &= PieceCache::kMaxId;
      to += n;
      continue;
    }
    to = std::copy_n(spill_.data() + value[1], value[2], to);
  }
  out.advance(static_cast<std::size_t>(to - begin));
  clear();
}

}  // namespace toktier::bpe
