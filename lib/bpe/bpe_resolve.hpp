#pragma once
// The work on pieces that the cache did not know; shared by both alphabets.

#include "bpe/bpe_model.hpp"

#include <cstring>

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

}  // namespace toktier::bpe
