#include "bpe/long_cache.hpp"

#include "base/hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace toktier::bpe {
namespace {

constexpr std::size_t kFirstWords = 1U << 13;  // 32 KiB
constexpr std::size_t kFirstSlots = 1U << 9;   // 12 KiB
constexpr std::size_t kWays = 2;

std::size_t words(std::size_t bytes) { return (bytes + 3) / 4; }

std::uint32_t length_of(std::string_view bytes, unsigned space) {
  return static_cast<std::uint32_t>(bytes.size()) | space << 16;
}

}  // namespace

LongCache::LongCache(std::size_t budget_bytes)
    : most_words_(std::bit_floor(budget_bytes / 2 / sizeof(std::uint32_t))),
      most_slots_(std::bit_floor(budget_bytes / 2 / sizeof(Slot))) {
  if (most_words_ < kFirstWords || most_slots_ < kFirstSlots) {
    most_words_ = most_slots_ = 0;
    return;
  }
  ring_.resize(kFirstWords);
  slots_.resize(kFirstSlots);
}

std::uint64_t LongCache::hash_of(std::string_view bytes, unsigned space) {
  return base::hash_bytes(bytes, space);
}

const LongCache::Slot* LongCache::look(std::uint64_t hash, std::uint32_t length,
                                       std::string_view bytes) const {
  const std::size_t set = (hash >> 20) & (slots_.size() / kWays - 1);
  for (std::size_t i = 0; i < kWays; ++i) {
    const Slot& s = slots_[set * kWays + i];
    if (s.hash != hash || s.length != length || !alive(s)) continue;
    const std::uint32_t* const data = ring_.data() + (s.at & (ring_.size() - 1));
    if (std::memcmp(data, bytes.data(), bytes.size()) == 0) return &s;
  }
  return nullptr;
}

std::span<const TokenId> LongCache::find(std::string_view bytes, unsigned space) const {
  if (slots_.empty() || bytes.size() > kLongest) return {};
  const Slot* s = look(hash_of(bytes, space), length_of(bytes, space), bytes);
  if (s == nullptr) return {};
  return {ring_.data() + (s->at & (ring_.size() - 1)) + words(bytes.size()), s->ids};
}

// A dead entry first, else the older one.
LongCache::Slot& LongCache::place(std::uint64_t hash) {
  Slot* const set = &slots_[((hash >> 20) & (slots_.size() / kWays - 1)) * kWays];
  if (!alive(set[0])) return set[0];
  if (!alive(set[1])) return set[1];
  return set[0].at < set[1].at ? set[0] : set[1];
}

void LongCache::grow_slots() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  used_ = 0;
  for (const Slot& s : old) {
    if (!alive(s)) continue;
    place(s.hash) = s;
    ++used_;
  }
}

void LongCache::insert(std::string_view bytes, unsigned space, std::span<const TokenId> ids) {
  if (slots_.empty() || bytes.size() > kLongest || ids.empty()) return;
  const std::size_t need = words(bytes.size()) + ids.size();
  if (need * 8 > ring_.size()) return;  // never near the size of the ring
  const std::size_t at_end = ring_.size() - (head_ & (ring_.size() - 1));
  if (head_ <= ring_.size() && head_ + need > ring_.size() && ring_.size() < most_words_) {
    ring_.resize(ring_.size() * 2);  // nothing was overwritten yet: positions keep their meaning
  } else if (need > at_end) {
    head_ += at_end;  // an entry does not wrap around the end of the ring
  }
  if (used_ * 2 > slots_.size() && slots_.size() < most_slots_) grow_slots();
  const std::uint64_t hash = hash_of(bytes, space);
  Slot& slot = place(hash);
  used_ += slot.length == 0;
  slot = {hash, head_, length_of(bytes, space), static_cast<std::uint32_t>(ids.size())};
  std::uint32_t* const data = ring_.data() + (head_ & (ring_.size() - 1));
  std::memcpy(data, bytes.data(), bytes.size());
  std::memcpy(data + words(bytes.size()), ids.data(), ids.size() * sizeof(TokenId));
  head_ += need;
}

}  // namespace toktier::bpe
