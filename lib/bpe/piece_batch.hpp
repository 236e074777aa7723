#pragma once
// A row of short pieces on their way through the piece cache. Lookups are asked for well before
// they are needed; what misses is gathered, so that the merges of many pieces can run side by side
// (merge_lanes.hpp); what comes out keeps the order in which the pieces went in.

#include "bpe/model.hpp"
#include "bpe/piece_cache.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace toktier::bpe {

class PieceBatch {
 public:
  using Key = PieceCache::ShortKey;
  static constexpr std::size_t kItems = 1024;
  /// Pieces whose cache lines are fetched before the first of them is looked at.
  static constexpr std::size_t kAhead = 64;

  PieceBatch();

  bool full() const { return count_ + 1 >= kItems; }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  std::size_t misses() const { return misses_; }
  std::size_t missed(std::size_t i) const { return missed_[i]; }
  Key key(std::size_t item) const { return keys_[item]; }

  /// A piece of 1..15 bytes. Room: not full().
  void add(Key key, const PieceCache& cache) {
    keys_[count_] = key;
    const std::size_t set = cache.set_of(key);
    sets_[count_] = static_cast<std::uint32_t>(set);
    cache.prefetch(set);
    bytes_ += PieceCache::length(key);
    if (++count_ - probed_ == kAhead) probe(cache);
  }
  /// `marked`: under marked keys.
  /// Adds the pieces [begin, ends[0]), [ends[0], ends[1]) ... of `text` up to the first that is too
  /// long or for which there is no room; returns how many. Whoever adds one by one may call add().
  std::size_t add_pieces(std::string_view text, std::uint32_t begin,
                         std::span<const std::uint32_t> ends, const PieceCache& cache,
                         bool marked = false) {
    const std::uint64_t mark = marked ? PieceCache::kMark : 0;
    const std::size_t readable_end = text.size() >= 16 ? text.size() - 16 : 0;
    const std::uint32_t from = begin;
    std::size_t taken = 0;
    while (taken < ends.size()) {
      const std::size_t room =
          std::min({ends.size() - taken, kAhead - (count_ - probed_), kItems - count_});
      if (room == 0) break;
      Key* const keys = keys_.data() + count_;
      std::uint32_t* const sets = sets_.data() + count_;
      std::size_t i = 0;
      for (; i < room; ++i) {
        const std::uint32_t end = ends[taken + i], n = end - begin;
        if (n > PieceCache::kMaxShort) [[unlikely]]
          break;
        keys[i] = PieceCache::short_key(text.data() + begin, n, begin < readable_end);
        keys[i].high |= mark;
        const std::size_t set = cache.set_of(keys[i]);
        sets[i] = static_cast<std::uint32_t>(set);
        cache.prefetch(set);
        begin = end;
      }
      count_ += i;
      taken += i;
      if (count_ - probed_ == kAhead) probe(cache);
      if (i < room) break;
    }
    bytes_ += begin - from;
    return taken;
  }
  /// Ids known already, for `bytes` bytes of text.
  void add_known(const TokenId* ids, std::size_t n, std::size_t bytes, const PieceCache& cache) {
    Late late{add_place(bytes, cache), {}};
    pack(late.value, ids, n);
    late_.push_back(late);
  }
  /// A place in the row, for `bytes` bytes of text, whose ids are set() after the last probe().
  /// Returns its item. Room: not full().
  std::uint32_t add_place(std::size_t bytes, const PieceCache& cache) {
    const auto item = static_cast<std::uint32_t>(count_);
    keys_[count_] = kPlace;
    sets_[count_] = 0;
    bytes_ += bytes;
    if (++count_ - probed_ == kAhead) probe(cache);
    return item;
  }
  /// Of a missed item: it is no piece but a place.
  bool is_place(std::size_t item) const { return PieceCache::length(keys_[item]) == 0; }

  /// Looks up what was added and not looked up yet.
  void probe(const PieceCache& cache) {
    const std::size_t end = count_;
    std::size_t misses = misses_;
    std::uint16_t* const missed = missed_.data();
    for (std::size_t i = probed_; i < end; ++i) {
      const PieceCache::Found found = cache.find_in_set(keys_[i], sets_[i]);
      std::memcpy(values_[i], found.entry->ids, sizeof values_[0]);
      missed[misses] = static_cast<std::uint16_t>(i);
      misses += !found.hit;
    }
    probed_ = end;
    misses_ = misses;
  }

  /// The ids of an item: those of a missed one must be set before emit().
  void set(std::size_t item, const TokenId* ids, std::size_t n) { pack(values_[item], ids, n); }
  void copy(std::size_t item, std::size_t from) {
    std::memcpy(values_[item], values_[from], sizeof values_[0]);
  }
  void copy(std::size_t item, const PieceCache::ShortEntry& entry) {
    std::memcpy(values_[item], entry.ids, sizeof values_[0]);
  }
  void copy(std::size_t item, const MediumCache::Entry& entry) {
    const std::size_t n = MediumCache::count(entry);
    if (n <= PieceCache::kMaxShortIds) [[likely]] {
      std::memcpy(values_[item], entry.ids, sizeof values_[0]);
      return;
    }
    TokenId ids[MediumCache::kMaxIds];
    std::copy_n(entry.ids, n, ids);
    ids[0] &= MediumCache::kMaxId;
    set(item, ids, n);
  }

  /// An earlier missed item with the same key, or `item` itself, which is remembered. Forgotten by
  /// clear().
  std::size_t first_with_key(std::size_t item);

  /// Appends the ids of all items to `out` and forgets them.
  void emit(TokenSink& out);
  void clear();

 private:
  static constexpr Key kPlace{0, 0};
  struct Late {
    std::uint32_t item;
    TokenId value[PieceCache::kMaxShortIds];
  };
  // As a cache entry's ids; what does not fit goes to spill_ and its count is 0.
  void pack(TokenId* value, const TokenId* ids, std::size_t n) {
    if (n == 0 || n > PieceCache::kMaxShortIds || ids[0] > PieceCache::kMaxId) {
      value[0] = 0;
      value[1] = static_cast<TokenId>(spill_.size());
      value[2] = static_cast<TokenId>(n);
      spill_.insert(spill_.end(), ids, ids + n);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) value[i] = ids[i];
    value[0] |= static_cast<TokenId>(n) << 29;
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> sets_;
  TokenId (*values_)[PieceCache::kMaxShortIds];  // as a cache entry's ids; a count of 0: in spill_
  std::vector<TokenId> value_store_;
  std::vector<std::uint16_t> missed_;
  std::vector<std::uint16_t> twins_;  // open addressing over missed items; 0xFFFF is free
  std::vector<TokenId> spill_;
  std::vector<Late> late_;  // known when they were added: a probe may not overwrite them
  std::size_t count_ = 0, probed_ = 0, misses_ = 0, bytes_ = 0;
  bool twins_used_ = false;
};

}  // namespace toktier::bpe
