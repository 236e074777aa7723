#pragma once
// Keys of a fixed size to ids, bounded, for one worker: the table behind the caches of pieces.
// Full key compare: nothing is answered from a hash, so a hit, a miss and an eviction differ in
// time only.
//
// Two entries are one set. The table grows up to the budget; then new entries replace old ones.
// There is no wipe. A budget of 0 switches it off.

#include "base/zero_table.hpp"
#include "toktier/types.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace toktier::bpe {

/// `Key` offers hash() and ==; a key of zero bytes stands for a free entry and is never used.
/// Entries hold up to min(kPlaces, 7) ids below 2^29.
template <class Key, std::size_t kPlaces>
class KeyCache {
 public:
  static constexpr std::size_t kMaxIds = kPlaces < 7 ? kPlaces : 7;
  static constexpr TokenId kMaxId = (1U << 29) - 1;

  struct alignas(std::bit_ceil(sizeof(Key) + kPlaces * sizeof(TokenId))) Entry {
    Key key;
    TokenId ids[kPlaces];  // count in the top 3 bits of ids[0]; 0 = free
  };
  static std::uint32_t count(const Entry& e) { return e.ids[0] >> 29; }

  /// `first`: entries to begin with, a power of two.
  KeyCache(std::size_t budget_bytes, std::size_t first) : budget_(budget_bytes) {
    // A cache that is off keeps one never-filled set, so that find() needs no test.
    entries_ = base::ZeroTable<Entry>(budget_ != 0 ? first : 4);
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(entries_.size() / 2));
  }

  std::size_t set_of(const Key& key) const {
    return static_cast<std::size_t>(key.hash() >> shift_);
  }
  void prefetch(std::size_t set) const {
    __builtin_prefetch(&entries_[set * 2]);
    if constexpr (sizeof(Entry) >= 64) __builtin_prefetch(&entries_[set * 2 + 1]);
  }
  struct Found {
    const Entry* entry;  // readable, hit or not
    bool hit;
  };
  /// Without a branch that depends on the data.
  Found find_in_set(const Key& key, std::size_t set) const {
    const Entry* e = &entries_[set * 2];
    const bool first = e[0].key == key, second = e[1].key == key;
    return {e + static_cast<int>(second), static_cast<bool>(first | second)};
  }
  /// nullptr on a miss.
  const Entry* find(const Key& key, std::size_t set) const {
    const Entry* e = &entries_[set * 2];
    if (e[0].key == key) return e;
    if (e[1].key == key) return e + 1;
    return nullptr;
  }
  /// A set that is full spills into its neighbour; asked only after find() missed.
  static std::size_t neighbour(std::size_t set) { return set ^ 1; }
  const Entry* find_spilled(const Key& key, std::size_t set) const {
    return find(key, neighbour(set));
  }
  const Entry* find_anywhere(const Key& key) const {
    const std::size_t set = set_of(key);
    const Entry* hit = find(key, set);
    return hit != nullptr ? hit : find_spilled(key, set);
  }

  void insert(const Key& key, const TokenId* ids, std::size_t n) {
    if (!enabled() || n > kMaxIds || n == 0) return;
    for (std::size_t i = 0; i < n; ++i)
      if (ids[i] > kMaxId) return;
    if (!full_ && used_ * 2 > entries_.size()) grow();
    Entry* place = place_for(set_of(key));
    used_ += count(*place) == 0;
    place->key = key;
    for (std::size_t i = 0; i < n; ++i) place->ids[i] = ids[i];
    place->ids[0] |= static_cast<TokenId>(n) << 29;
  }

  bool enabled() const { return budget_ != 0; }
  std::size_t bytes() const { return entries_.size() * sizeof(Entry); }

 private:
  static constexpr std::size_t kSmallBytes = std::size_t{2} << 20;

  // First come keeps the first place: frequent pieces are met early. A full set spills into its
  // neighbour; when that is full too, the second entry of the own set goes.
  Entry* place_for(std::size_t set) {
    Entry* own = &entries_[set * 2];
    Entry* other = &entries_[neighbour(set) * 2];
    for (Entry* e : {own, own + 1, other, other + 1})
      if (count(*e) == 0) return e;
    return own + 1;
  }

  void grow() {
    // While small it grows faster: every step moves all entries.
    const std::size_t factor = bytes() < kSmallBytes ? 4 : 2;
    const std::size_t larger = entries_.size() * factor;
    if (larger * sizeof(Entry) > budget_) {
      full_ = true;
      return;
    }
    base::ZeroTable<Entry> old(larger);
    old.swap(entries_);
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(larger / 2));
    used_ = 0;
    // First entries of all sets before second ones, so that they keep their first places.
    for (std::size_t way = 0; way < 2; ++way) {
      for (std::size_t i = way; i < old.size(); i += 2) {
        if (count(old[i]) == 0) continue;
        Entry* place = place_for(set_of(old[i].key));
        if (count(*place) != 0) continue;
        *place = old[i];
        ++used_;
      }
    }
  }

  std::size_t budget_;
  base::ZeroTable<Entry> entries_;
  unsigned shift_ = 63;
  std::size_t used_ = 0;
  bool full_ = false;
};

}  // namespace toktier::bpe
