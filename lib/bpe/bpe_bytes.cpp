// The byte alphabet: GPT-2 style byte-level files and rank files.

#include "base/hash.hpp"
#include "bpe/bpe_resolve.hpp"
#include "bpe/byte_alphabet.hpp"
#include "unicode/utf8.hpp"

#include <cstring>

namespace toktier::bpe {

using model::kNoToken;

void BpeModel::encode(std::string_view text, std::uint32_t begin,
                      std::span<const std::uint32_t> ends, Workspace& workspace,
                      TokenSink& out) const {
  auto& ws = static_cast<BpeWorkspace&>(workspace);
  if (bytes_) {
    encode_bytes(text, begin, ends, ws, out);
    return;
  }
  ws.text_end = text.data() + text.size();
  for (const std::uint32_t end : ends) {
    encode_characters(text.substr(begin, end - begin), ws, out);
    begin = end;
  }
}

// Characters of 16 bytes and more that wait for their merge stand in the text of this call.
void BpeModel::close(BpeWorkspace& ws, TokenSink& out) const {
  if (!ws.keep_open || !ws.long_jobs.empty()) finish_batch(ws, out);
}

void BpeModel::finish_batch(BpeWorkspace& ws, TokenSink& out) const {
  if (ws.batch.empty()) return;
  if (bytes_)
    finish_bytes(ws, out);
  else
    finish_characters(ws, out);
}

void BpeModel::put_literal(TokenId id, Workspace& workspace, TokenSink& out) const {
  auto& ws = static_cast<BpeWorkspace&>(workspace);
  if (ws.batch.empty()) {
    Model::put_literal(id, workspace, out);
    return;
  }
  ws.batch.add_known(&id, 1, 1, ws.cache);
  if (ws.batch.full()) finish_batch(ws, out);
}

void BpeModel::finish(Workspace& workspace, TokenSink& out) const {
  finish_batch(static_cast<BpeWorkspace&>(workspace), out);
}

void BpeModel::encode_bytes(std::string_view text, std::uint32_t begin,
                            std::span<const std::uint32_t> ends, BpeWorkspace& ws,
                            TokenSink& out) const {
  const std::size_t first_token = out.size();
  while (!ends.empty()) {
    const std::size_t taken = ws.batch.add_pieces(text, begin, ends, ws.cache);
    if (taken > 0) begin = ends[taken - 1];
    ends = ends.subspan(taken);
    if (ws.batch.full()) {
      finish_bytes(ws, out);
    } else if (!ends.empty()) {
      add_long_bytes(text, begin, ends.front(), ws, out);
      begin = ends.front();
      ends = ends.subspan(1);
    }
  }
  close(ws, out);
  fill_lengths(first_token, out);
}

// Where the bytes of a token are known from its id, lengths are filled in afterwards.
void BpeModel::fill_lengths(std::size_t first_token, TokenSink& out) const {
  if (!out.wants_lengths()) return;
  std::uint32_t* length = out.length_cursor() - (out.size() - first_token);
  const TokenId* id = out.cursor() - (out.size() - first_token);
  for (std::size_t i = first_token; i < out.size(); ++i) *length++ = token_length_[*id++];
}

template <class L>
void BpeModel::lay_bytes(const unsigned char* bytes, std::size_t n, L& lane) const {
  lane.start(static_cast<std::uint32_t>(n));
  lane.symbol[0] = byte_symbol_[bytes[0]];
  for (std::uint32_t i = 1; i < n; ++i) {
    lane.symbol[i] = byte_symbol_[bytes[i]];
    lane.set(i - 1, byte_pairs_[std::size_t{bytes[i - 1]} << 8 | bytes[i]]);
  }
}

// Gives all items of the batch their ids and writes them out.
void BpeModel::finish_bytes(BpeWorkspace& ws, TokenSink& out) const {
  const auto start = [&](ShortLane& lane, PieceCache::ShortKey key, std::uint32_t) {
    unsigned char bytes[16];
    std::memcpy(bytes, &key.low, 8);
    std::memcpy(bytes + 8, &key.high, 8);
    lay_bytes(bytes, PieceCache::length(key), lane);
    return true;
  };
  resolve(ws, start, [](std::uint32_t, const TokenId*, std::size_t) { return true; });
  if (!ws.medium_items.empty()) {
    const auto start_medium = [&](auto& lane, const MediumKey& key, std::uint32_t) {
      const std::string_view piece = key.bytes();
      lay_bytes(reinterpret_cast<const unsigned char*>(piece.data()), piece.size(), lane);
      return true;
    };
    resolve_medium(
        ws, [](const MediumKey&) { return false; }, start_medium,
        [](const MediumKey&, std::uint32_t, const TokenId*, std::size_t) { return true; });
  }
  if (!ws.wide_items.empty()) resolve_wide(ws);
  ws.batch.emit(out);
}

// Items of 32 to 64 bytes, whose bytes stand in the workspace.
void BpeModel::resolve_wide(BpeWorkspace& ws) const {
  const auto bytes_of = [&](const BpeWorkspace::WideItem& w) {
    return std::string_view(ws.wide_bytes).substr(w.begin, w.length);
  };
  std::uint32_t next = 0;
  const auto load = [&](WideLane& lane) {
    if (next == ws.wide_items.size()) return false;
    const std::string_view bytes = bytes_of(ws.wide_items[next]);
    lane.tag = next++;
    lay_bytes(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), lane);
    return true;
  };
  const auto done = [&](const WideLane& lane) {
    const BpeWorkspace::WideItem& w = ws.wide_items[lane.tag];
    TokenId ids[WideLane::kLongest];
    const std::size_t n = lane.take(ids);
    ws.batch.set(w.item, ids, n);
    if (ws.longer.find(bytes_of(w), w.segment).empty())
      ws.longer.insert(bytes_of(w), w.segment, {ids, n});
  };
  merge_lanes<WideLane>(pairs_, load, done);
  ws.wide_items.clear();
  ws.wide_bytes.clear();
}

TokenId BpeModel::whole_piece(PieceCache::ShortKey key) const {
  const std::size_t n = PieceCache::length(key);
  if (n <= WholeTokens::kLongest) return whole_.find(key);
  char bytes[16];
  std::memcpy(bytes, &key.low, 8);
  std::memcpy(bytes + 8, &key.high, 8);
  return whole_piece(std::string_view(bytes, n));
}

// For pieces longer than WholeTokens::kLongest.
TokenId BpeModel::whole_piece(std::string_view piece) const {
  if (piece.size() > longest_token_) return kNoToken;
  if (!mapped_) return vocab_.find(piece);
  const std::size_t mask = raw_slots_.size() - 1;
  const std::uint64_t hash = base::hash_bytes(piece);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t slot = hash & mask; raw_slots_[slot].id != kNoToken; slot = (slot + 1) & mask) {
    const RawSlot& s = raw_slots_[slot];
    if (s.tag == tag && token_bytes(s.id) == piece) return s.id;
  }
  return kNoToken;
}

// The ends of segments of text[at, end), the last one `end`: at most kCuts, at least one.
std::size_t BpeModel::byte_cuts(std::string_view text, std::size_t at, std::size_t end,
                                bool well_formed, std::uint32_t* cuts, CutMemo& memo) const {
  std::size_t count = 0;
  if (!well_formed) {
    for (++at; at < end && count + 1 < kCuts; ++at) {
      cuts[count] = static_cast<std::uint32_t>(at);
      count += cut_.safe_bytes(static_cast<unsigned char>(text[at - 1]),
                               static_cast<unsigned char>(text[at]));
    }
    if (at >= end) cuts[count++] = static_cast<std::uint32_t>(end);
    return count;
  }
  unicode::Decoded x = unicode::decode(text.data() + at);
  at += x.length;
  while (at < end && count + 1 < kCuts) {
    const unicode::Decoded y = unicode::decode(text.data() + at);
    cuts[count] = static_cast<std::uint32_t>(at);
    count += cut_.most_safe(x.code_point, y.code_point, memo);
    x = y;
    at += y.length;
  }
  if (at >= end) cuts[count++] = static_cast<std::uint32_t>(end);
  return count;
}

std::size_t BpeModel::merge_bytes(std::string_view segment, BpeWorkspace& ws) const {
  const std::size_t size = segment.size();
  ws.symbols.resize(size);
  for (std::size_t i = 0; i < size; ++i)
    ws.symbols[i] = byte_symbol_[static_cast<unsigned char>(segment[i])];
  if (size > Merger::kDirect) return merger_.merge(ws.symbols.data(), nullptr, size, ws.merge);
  Merged neighbours[Merger::kDirect];
  for (std::size_t i = 1; i < size; ++i) {
    neighbours[i - 1] = byte_pairs_[std::size_t{static_cast<unsigned char>(segment[i - 1])} << 8 |
                                    static_cast<unsigned char>(segment[i])];
  }
  return merger_.merge_known(ws.symbols.data(), neighbours, size, ws.merge);
}

// Bytes as symbols, tokens into the sink: a segment of any size without memory of its own.
void BpeModel::stream_bytes(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const {
  class Source final : public SymbolSource {
   public:
    Source(const std::array<Symbol, 256>& symbols, std::string_view text)
        : symbols_(symbols), text_(text) {}
    void fill(std::size_t begin, std::size_t count, Symbol* to) override {
      for (const char c : text_.substr(begin, count))
        *to++ = symbols_[static_cast<unsigned char>(c)];
    }

   private:
    const std::array<Symbol, 256>& symbols_;
    std::string_view text_;
  };
  finish_batch(ws, out);  // what stands before it
  Source source(byte_symbol_, segment);
  SinkTarget target(out);
  merger_.merge_stream(source, segment.size(), target, ws.merge);
}

// 32 bytes and more.
void BpeModel::add_long_segment(std::string_view segment, bool whole, BpeWorkspace& ws,
                                TokenSink& out) const {
  const std::span<const TokenId> known = ws.longer.find(segment, !whole);
  if (!known.empty()) {
    ws.batch.add_known(known.data(), known.size(), segment.size(), ws.cache);
  } else if (segment.size() <= WideLane::kLongest) {
    ws.wide_items.push_back({ws.batch.add_place(segment.size(), ws.cache),
                             static_cast<std::uint32_t>(ws.wide_bytes.size()),
                             static_cast<std::uint32_t>(segment.size()), !whole});
    ws.wide_bytes += segment;
  } else if (segment.size() > kStreamBytes) {
    stream_bytes(segment, ws, out);
  } else {
    const std::size_t n = merge_bytes(segment, ws);
    ws.batch.add_known(ws.symbols.data(), n, segment.size(), ws.cache);
    ws.longer.insert(segment, !whole, {ws.symbols.data(), n});
  }
}

namespace {

// Its first or second character has three bytes or more.
bool begins_wide(std::string_view piece) {
  return static_cast<unsigned char>(piece[0]) >= 0xE0 ||
         static_cast<unsigned char>(piece[1]) >= 0xE0;
}

}  // namespace

// A piece without cuts of 16 bytes and more.
void BpeModel::add_uncut_bytes(std::string_view text, std::uint32_t begin, std::uint32_t end,
                               BpeWorkspace& ws, TokenSink& out) const {
  const std::string_view piece = text.substr(begin, end - begin);
  if (piece.size() <= MediumKey::kLongest) {
    add_medium(text, begin, end, false, ws);
    if (ws.batch.full()) finish_bytes(ws, out);
    return;
  }
  if (whole_first_) {
    const TokenId id = whole_piece(piece);
    if (id != kNoToken) {
      ws.batch.add_known(&id, 1, piece.size(), ws.cache);
      return;
    }
  }
  add_long_segment(piece, true, ws, out);
}

// A piece that is too long for the cache of short ones: as it is, or in segments.
void BpeModel::add_long_bytes(std::string_view text, std::uint32_t begin, std::uint32_t end,
                              BpeWorkspace& ws, TokenSink& out) const {
  // In well-formed text a piece is well-formed when it begins and ends between characters.
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  const std::string_view piece = text.substr(begin, end - begin);
  // Words come again; runs of the scripts that write none do not, but what lies between cuts does.
  if (piece.size() <= MediumKey::kLongest && !begins_wide(piece)) {
    add_medium(text, begin, end, false, ws);
    if (ws.batch.full()) finish_bytes(ws, out);
    return;
  }
  const bool well_formed =
      ws.well_formed_text ? !inside(begin) && !inside(end) : !unicode::find_invalid_utf8(piece);
  std::uint32_t cuts[kCuts];
  std::size_t count = byte_cuts(text, begin, end, well_formed, cuts, ws.memo);
  if (cuts[0] == end) {  // no token holds a cut, so only this one may be a token as a whole
    add_uncut_bytes(text, begin, end, ws, out);
    return;
  }
  // The whole-piece lookup makes a piece differ from an equal segment: the two are kept under
  // different keys.
  for (;;) {
    std::span<const std::uint32_t> ends(cuts, count);
    while (!ends.empty()) {
      const std::size_t taken = ws.batch.add_pieces(text, begin, ends, ws.cache, whole_first_);
      if (taken > 0) begin = ends[taken - 1];
      ends = ends.subspan(taken);
      if (ws.batch.full()) {
        finish_bytes(ws, out);
      } else if (!ends.empty()) {
        const std::uint32_t to = ends.front();
        if (to - begin <= MediumKey::kLongest)
          add_medium(text, begin, to, whole_first_, ws);
        else
          add_long_segment(text.substr(begin, to - begin), !whole_first_, ws, out);
        if (ws.batch.full()) finish_bytes(ws, out);
        begin = to;
        ends = ends.subspan(1);
      }
    }
    if (begin == end) return;
    count = byte_cuts(text, begin, end, well_formed, cuts, ws.memo);
  }
}

}  // namespace toktier::bpe
