// The byte alphabet: GPT-2 style byte-level files and rank files.

#include "base/hash.hpp"
#include "bpe/bpe_model.hpp"
#include "bpe/byte_alphabet.hpp"
#include "unicode/utf8.hpp"

#include <cstring>

namespace toktier::bpe {

using model::kNoToken;

namespace {

// Room for the unconditional 16-byte store was reserved by the caller.
void put_short(const PieceCache::ShortEntry& hit, TokenSink& out) {
  TokenId* to = out.cursor();
  std::memcpy(to, hit.ids, sizeof hit.ids);
  to[0] &= PieceCache::kMaxId;
  out.advance(PieceCache::count(hit));
}

}  // namespace

void BpeModel::encode(std::string_view text, std::uint32_t begin,
                      std::span<const std::uint32_t> ends, Workspace& workspace,
                      TokenSink& out) const {
  auto& ws = static_cast<BpeWorkspace&>(workspace);
  if (bytes_) {
    encode_bytes(text, begin, ends, ws, out);
    return;
  }
  for (const std::uint32_t end : ends) {
    encode_characters(text.substr(begin, end - begin), ws, out);
    begin = end;
  }
}

void BpeModel::encode_bytes(std::string_view text, std::uint32_t begin,
                            std::span<const std::uint32_t> ends, BpeWorkspace& ws,
                            TokenSink& out) const {
  constexpr std::size_t kBatch = 64;
  PieceCache::ShortKey keys[kBatch];
  std::size_t sets[kBatch];
  const std::size_t first_token = out.size();
  const std::size_t readable_end = text.size() >= 16 ? text.size() - 16 : 0;
  while (!ends.empty()) {
    const std::span<const std::uint32_t> batch = ends.first(std::min(kBatch, ends.size()));
    ends = ends.subspan(batch.size());
    std::uint32_t b = begin;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint32_t n = batch[i] - b;
      if (n - 2U <= PieceCache::kMaxShort - 2U) {
        keys[i] = PieceCache::short_key(text.data() + b, n, b < readable_end);
        sets[i] = ws.cache.set_of(keys[i]);
        ws.cache.prefetch(sets[i]);
      }
      b = batch[i];
    }
    // A piece never gives more tokens than it has bytes; 4 more for the unconditional 16-byte
    // store.
    out.reserve(batch.back() - begin + PieceCache::kMaxShortIds);
    b = begin;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint32_t e = batch[i];
      const std::uint32_t n = e - b;
      if (n - 2U <= PieceCache::kMaxShort - 2U) {
        if (const PieceCache::ShortEntry* hit = ws.cache.find(keys[i], sets[i])) {
          put_short(*hit, out);
        } else {
          encode_bytes_missed(text, b, e, ws, out);
        }
      } else if (n == 1) {
        *out.cursor() = byte_symbol_[static_cast<unsigned char>(text[b])];
        out.advance(1);
      } else {
        encode_bytes_missed(text, b, e, ws, out);
      }
      b = e;
    }
    begin = b;
  }
  if (out.wants_lengths()) {
    // Bytes of a token are known from its id, so lengths are filled in afterwards.
    std::uint32_t* length = out.length_cursor() - (out.size() - first_token);
    const TokenId* id = out.cursor() - (out.size() - first_token);
    for (std::size_t i = first_token; i < out.size(); ++i) *length++ = token_length_[*id++];
  }
}

TokenId BpeModel::whole_piece(std::string_view piece) const {
  if (!mapped_) return vocab_.find(piece);
  if (piece.size() > longest_token_) return kNoToken;
  const std::size_t mask = raw_slots_.size() - 1;
  for (std::size_t slot = base::hash_bytes(piece) & mask; raw_slots_[slot] != kNoToken;
       slot = (slot + 1) & mask) {
    const TokenId id = raw_slots_[slot];
    if (token_bytes(id) == piece) return id;
  }
  return kNoToken;
}

std::size_t BpeModel::next_byte_cut(std::string_view piece, std::size_t at, bool well_formed,
                                    CutMemo& memo) const {
  if (!well_formed) {
    for (++at; at < piece.size(); ++at)
      if (cut_.safe_bytes(static_cast<unsigned char>(piece[at - 1]),
                          static_cast<unsigned char>(piece[at])))
        return at;
    return at;
  }
  unicode::Decoded x = unicode::decode(piece.data() + at);
  at += x.length;
  while (at < piece.size()) {
    unsigned near = CutTable::near_index(x.code_point);
    if (near != CutTable::kFar) {
      bool safe = false;
      at = cut_.near_run(piece, at, &near, &safe);
      if (safe || at == piece.size()) return at;
      x.code_point = CutTable::character(near);
    }
    const unicode::Decoded y = unicode::decode(piece.data() + at);
    if (cut_.safe(x.code_point, y.code_point, memo)) return at;
    x = y;
    at += y.length;
  }
  return at;
}

void BpeModel::merge_bytes(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const {
  if (segment.size() <= Merger::kDirect) {
    Symbol symbols[Merger::kDirect];
    MergeIndex neighbours[Merger::kDirect];
    std::size_t last = static_cast<unsigned char>(segment[0]);
    symbols[0] = byte_symbol_[last];
    for (std::size_t i = 1; i < segment.size(); ++i) {
      const std::size_t byte = static_cast<unsigned char>(segment[i]);
      symbols[i] = byte_symbol_[byte];
      neighbours[i - 1] = byte_pairs_[(last << 8) | byte];
      last = byte;
    }
    const std::size_t n = merger_.merge_known(symbols, neighbours, segment.size(), ws.merge);
    std::memcpy(out.cursor(), symbols, n * sizeof(TokenId));
    out.advance(n);
    return;
  }
  ws.symbols.resize(segment.size());
  for (std::size_t i = 0; i < segment.size(); ++i)
    ws.symbols[i] = byte_symbol_[static_cast<unsigned char>(segment[i])];
  const std::size_t n = merger_.merge(ws.symbols.data(), nullptr, segment.size(), ws.merge);
  std::memcpy(out.cursor(), ws.symbols.data(), n * sizeof(TokenId));
  out.advance(n);
}

void BpeModel::encode_bytes_missed(std::string_view text, std::uint32_t begin, std::uint32_t end,
                                   BpeWorkspace& ws, TokenSink& out) const {
  const std::string_view piece = text.substr(begin, end - begin);
  const std::size_t first = out.size();
  const bool middle =
      piece.size() > PieceCache::kMaxShort && piece.size() <= PieceCache::kMaxMiddle;
  if (piece.size() <= PieceCache::kMaxShort) {
    const auto key = PieceCache::short_key(piece.data(), piece.size(), false);
    if (const PieceCache::ShortEntry* hit = ws.cache.find_spilled(key, ws.cache.set_of(key))) {
      put_short(*hit, out);
      return;
    }
  } else if (middle) {
    if (const PieceCache::MiddleEntry* hit = ws.cache.find_middle(piece)) {
      std::memcpy(out.cursor(), hit->ids, hit->count * sizeof(TokenId));
      out.advance(hit->count);
      return;
    }
  }
  const auto remember = [&](std::string_view part, std::size_t from) {
    const TokenId* ids = out.cursor() - (out.size() - from);
    if (part.size() <= PieceCache::kMaxShort)
      ws.cache.insert_short(PieceCache::short_key(part.data(), part.size(), false), ids,
                            out.size() - from);
    else if (part.size() <= PieceCache::kMaxMiddle)
      ws.cache.insert_middle(part, ids, out.size() - from);
  };
  if (bpe_.ignore_merges) {
    const TokenId id = whole_piece(piece);
    if (id != kNoToken) {
      *out.cursor() = id;
      out.advance(1);
      remember(piece, first);
      return;
    }
  }
  // In well-formed text a piece is well-formed when it begins and ends between characters.
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  const bool well_formed =
      ws.well_formed_text ? !inside(begin) && !inside(end) : !unicode::find_invalid_utf8(piece);
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t cut = next_byte_cut(piece, at, well_formed, ws.memo);
    const std::string_view segment = piece.substr(at, cut - at);
    const bool whole = segment.size() == piece.size();
    at = cut;
    if (segment.size() == 1) {
      *out.cursor() = byte_symbol_[static_cast<unsigned char>(segment[0])];
      out.advance(1);
      continue;
    }
    const bool shared = !whole && segment.size() <= PieceCache::kMaxShort;
    PieceCache::ShortKey key{0, 0};
    if (shared) {
      key = PieceCache::short_key(segment.data(), segment.size(), false);
      // The whole-piece lookup makes a piece differ from an equal segment: the two are kept under
      // different keys.
      if (bpe_.ignore_merges) key.high |= std::uint64_t{1} << 63;
      if (const PieceCache::ShortEntry* hit = ws.cache.find_anywhere(key)) {
        put_short(*hit, out);
        continue;
      }
    }
    const std::size_t from = out.size();
    merge_bytes(segment, ws, out);
    if (shared) ws.cache.insert_short(key, out.cursor() - (out.size() - from), out.size() - from);
  }
  remember(piece, first);
}

}  // namespace toktier::bpe
