#pragma once
// The work on pieces that the cache did not know; shared by both alphabets.

#include "bpe/bpe_model.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace toktier::bpe {

template <class Start, class Accept>
void BpeModel::resolve(BpeWorkspace& ws, Start&& start, Accept&& accept) const {
  PieceBatch& batch = ws.batch;
  batch.probe(ws.cache);
  if (batch.misses() == 0) return;
  for (std::size_t m = 0; m < batch.misses(); ++m) {
    const PieceBatch::Key key = batch.key(batch.missed(m));
    ws.cache.prefetch(PieceCache::neighbour(ws.cache.set_of(key)));
    if (whole_first_) whole_.prefetch(key);
  }
  ws.jobs.clear();
  ws.twins.clear();
  for (std::size_t m = 0; m < batch.misses(); ++m) {
    const std::size_t item = batch.missed(m);
    if (batch.is_place(item)) continue;
    const PieceBatch::Key key = batch.key(item);
    if (const PieceCache::ShortEntry* hit = ws.cache.find_spilled(key, ws.cache.set_of(key))) {
      batch.copy(item, *hit);
      continue;
    }
    const std::size_t first = batch.first_with_key(item);
    if (first != item) {
      ws.twins.push_back({static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(first)});
      continue;
    }
    if (whole_first_ && !PieceCache::is_marked(key)) {
      const TokenId id = whole_piece(key);
      if (id != model::kNoToken) {
        batch.set(item, &id, 1);
        ws.cache.insert(key, &id, 1);
        continue;
      }
    }
    ws.jobs.push_back(static_cast<std::uint32_t>(item));
  }
  std::size_t next = 0;
  const auto load = [&](ShortLane& lane) {
    while (next < ws.jobs.size()) {
      const std::uint32_t item = ws.jobs[next++];
      lane.tag = item;
      if (start(lane, batch.key(item), item)) return true;
    }
    return false;
  };
  const auto done = [&](const ShortLane& lane) {
    TokenId ids[ShortLane::kLongest];
    const std::size_t n = lane.take(ids);
    if (!accept(lane.tag, ids, n)) return;
    batch.set(lane.tag, ids, n);
    ws.cache.insert(batch.key(lane.tag), ids, n);
  };
  merge_lanes<ShortLane>(pairs_, load, done);
  for (const auto& [item, first] : ws.twins) batch.copy(item, first);
}

inline void BpeModel::add_medium(std::string_view text, std::uint32_t begin, std::uint32_t end,
                                 bool marked, BpeWorkspace& ws) {
  const std::uint32_t n = end - begin;
  BpeWorkspace::MediumItem item{
      ws.batch.add_place(n, ws.cache), 0,
      MediumKey::of(text.data() + begin, n, begin + 32 <= text.size(), marked)};
  const std::size_t set = ws.medium.set_of(item.key);
  ws.medium.prefetch(set);
  item.set = static_cast<std::uint32_t>(set);
  ws.medium_items.push_back(item);
}

template <class IsShort, class Start, class Accept>
void BpeModel::resolve_medium(BpeWorkspace& ws, IsShort&& is_short, Start&& start,
                              Accept&& accept) const {
  std::vector<std::uint32_t>& jobs = ws.medium_missed;
  jobs.clear();
  for (std::uint32_t i = 0; i < ws.medium_items.size(); ++i) {
    const BpeWorkspace::MediumItem& m = ws.medium_items[i];
    if (const MediumCache::Entry* hit = ws.medium.find(m.key, m.set)) {
      ws.batch.copy(m.item, *hit);
      continue;
    }
    ws.medium.prefetch(MediumCache::neighbour(m.set));
    jobs.push_back(i);
  }
  std::size_t count = 0;
  for (const std::uint32_t i : jobs) {
    const BpeWorkspace::MediumItem& m = ws.medium_items[i];
    if (const MediumCache::Entry* hit = ws.medium.find_spilled(m.key, m.set)) {
      ws.batch.copy(m.item, *hit);
      continue;
    }
    if (ws.medium_in_longer) {
      const auto known = ws.longer.find(m.key.bytes(), m.key.marked());
      if (!known.empty()) {
        ws.batch.set(m.item, known.data(), known.size());
        continue;
      }
    }
    if (whole_first_ && !m.key.marked()) {
      const TokenId id = whole_piece(m.key.bytes());
      if (id != model::kNoToken) {
        ws.batch.set(m.item, &id, 1);
        ws.medium.insert(m.key, &id, 1);
        continue;
      }
    }
    jobs[count++] = i;
  }
  jobs.resize(count);
  const auto merge = [&]<class L>(std::type_identity<L>, auto next, auto end) {
    const auto load = [&](L& lane) {
      while (next != end) {
        lane.tag = *next++;
        const BpeWorkspace::MediumItem& m = ws.medium_items[lane.tag];
        if (start(lane, m.key, m.item)) return true;
      }
      return false;
    };
    const auto done = [&](const L& lane) {
      const BpeWorkspace::MediumItem& m = ws.medium_items[lane.tag];
      TokenId ids[L::kLongest];
      const std::size_t n = lane.take(ids);
      if (!accept(m.key, m.item, ids, n)) return;
      ws.batch.set(m.item, ids, n);
      remember_medium(m.key, {ids, n}, ws);
    };
    merge_lanes<L>(pairs_, load, done);
  };
  const auto longer = std::stable_partition(
      jobs.begin(), jobs.end(), [&](std::uint32_t i) { return is_short(ws.medium_items[i].key); });
  merge(std::type_identity<ShortLane>{}, jobs.begin(), longer);
  merge(std::type_identity<LongLane>{}, longer, jobs.end());
  ws.medium_items.clear();
}

// Equal ones of one batch were not known when they were added.
inline void BpeModel::remember_medium(const MediumKey& key, std::span<const TokenId> ids,
                                      BpeWorkspace& ws) {
  if (ids.size() <= MediumCache::kMaxIds) {
    if (ws.medium.find_anywhere(key) == nullptr) ws.medium.insert(key, ids.data(), ids.size());
  } else if (ws.longer.find(key.bytes(), key.marked()).empty()) {
    ws.longer.insert(key.bytes(), key.marked(), ids);
    ws.medium_in_longer = true;
  }
}

}  // namespace toktier::bpe
