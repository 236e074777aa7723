// The character alphabet: SentencePiece-style files, .model files, files with affixes.

#include "bpe/bpe_model.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <cstring>

namespace toktier::bpe {

using model::kNoToken;

void BpeModel::encode_characters(std::string_view piece, BpeWorkspace& ws, TokenSink& out) const {
  // Every byte of a character and of its affixes gives at most one token (byte fallback); 4 more
  // for the unconditional 16-byte store.
  out.reserve(piece.size() * (1 + bpe_.continuing_subword_prefix.size()) +
              bpe_.end_of_word_suffix.size() + PieceCache::kMaxShortIds + 1);
  ws.last_was_unknown = false;
  if (bpe_.ignore_merges) {
    const TokenId id = vocab_.find(piece);
    if (id != kNoToken) {
      out.put(id, static_cast<std::uint32_t>(piece.size()));
      return;
    }
  }
  if (user_defined_.empty()) {
    encode_run(piece, ws, out);
    return;
  }
  // SentencePiece: user-defined symbols are found first, at every character from the left, longest
  // first, and never merge with anything.
  std::size_t run = 0;
  for (std::size_t at = 0; at < piece.size();) {
    const SymbolSet::Match match = user_defined_.at(piece, at);
    if (match.length == 0) {
      at += unicode::sequence_length(static_cast<unsigned char>(piece[at]));
      continue;
    }
    if (run < at) encode_run(piece.substr(run, at - run), ws, out);
    out.put(match.id, match.length);
    ws.last_was_unknown = false;
    at += match.length;
    run = at;
  }
  if (run < piece.size()) encode_run(piece.substr(run), ws, out);
}

std::size_t BpeModel::next_character_cut(std::string_view piece, std::size_t at,
                                         CutMemo& memo) const {
  unicode::Decoded x = unicode::decode(piece.data() + at);
  at += x.length;
  // Where near characters may be unknown the rule below decides at each border.
  const bool plain = complete_bytes_ || sentencepiece_ || near_known_;
  while (at < piece.size()) {
    unsigned near = CutTable::near_index(x.code_point);
    if (plain && near != CutTable::kFar) {
      bool safe = false;
      at = cut_.near_run(piece, at, &near, &safe);
      if (safe || at == piece.size()) return at;
      x.code_point = CutTable::character(near);
      x.length = x.code_point < 0x80 ? 1 : 3;
    }
    const unicode::Decoded y = unicode::decode(piece.data() + at);
    if (cut_.safe(x.code_point, y.code_point, memo)) {
      // Unknown neighbours fuse or change places in the reference; only a known character ends such
      // a run. Without an unknown token the reference loses them, and what stands on both sides of
      // one may merge.
      if (complete_bytes_ || sentencepiece_) return at;
      const bool lost = unk_ == kNoToken &&
                        character_symbol(piece.substr(at - x.length, x.length)) == kUnknownSymbol;
      if (!lost && character_symbol(piece.substr(at, y.length)) != kUnknownSymbol) return at;
    }
    x = y;
    at += y.length;
  }
  return at;
}

void BpeModel::put_cached(const std::uint32_t* ids, std::size_t n, TokenSink& out) const {
  for (std::size_t i = 0; i < n; ++i) {
    const TokenId id = i == 0 ? ids[0] & PieceCache::kMaxId : ids[i];
    out.put(id, token_length_[id]);
  }
}

void BpeModel::encode_run(std::string_view run, BpeWorkspace& ws, TokenSink& out) const {
  const bool use_cache = !out.wants_lengths() || exact_lengths_;
  for (std::size_t at = 0; at < run.size();) {
    const std::size_t cut = cuts_ ? next_character_cut(run, at, ws.memo) : run.size();
    const std::string_view segment = run.substr(at, cut - at);
    at = cut;
    const bool short_segment = segment.size() <= PieceCache::kMaxShort;
    const bool middle = !short_segment && segment.size() <= PieceCache::kMaxMiddle;
    PieceCache::ShortKey key{0, 0};
    if (use_cache && short_segment) {
      const bool readable = segment.data() + 16 <= run.data() + run.size();
      key = PieceCache::short_key(segment.data(), segment.size(), readable);
      if (const PieceCache::ShortEntry* hit = ws.cache.find_anywhere(key)) {
        const std::size_t n = PieceCache::count(*hit);
        ws.last_was_unknown = false;
        if (out.wants_lengths()) {
          put_cached(hit->ids, n, out);
        } else {
          TokenId* to = out.cursor();
          std::memcpy(to, hit->ids, sizeof hit->ids);
          to[0] &= PieceCache::kMaxId;
          out.advance(n);
        }
        continue;
      }
    } else if (use_cache && middle) {
      if (const PieceCache::MiddleEntry* hit = ws.cache.find_middle(segment)) {
        ws.last_was_unknown = false;
        for (std::size_t i = 0; i < hit->count; ++i)
          out.put(hit->ids[i], token_length_[hit->ids[i]]);
        continue;
      }
    }
    const std::size_t from = out.size();
    if (!merge_characters(segment, ws, out) || !use_cache) continue;
    const TokenId* ids = out.cursor() - (out.size() - from);
    if (short_segment)
      ws.cache.insert_short(key, ids, out.size() - from);
    else if (middle)
      ws.cache.insert_middle(segment, ids, out.size() - from);
  }
}

// The reference's first pass over a piece: each character, with its affixes, to a symbol; else to
// byte tokens; else to the unknown token, which may fuse with its neighbour and is written late (a
// pending unknown goes before the next KNOWN character, but after byte tokens that came in
// between). ws.symbols and ws.symbol_ends receive the result.
void BpeModel::build_symbols(std::string_view segment, BpeWorkspace& ws, bool& unknown) const {
  ws.symbols.clear();
  ws.symbol_ends.clear();
  std::uint32_t covered = 0;
  const auto add = [&](Symbol symbol, std::uint32_t length) {
    covered += length;
    ws.symbols.push_back(symbol);
    ws.symbol_ends.push_back(covered);
  };
  bool pending = false;
  std::uint32_t pending_length = 0;
  const auto need_unknown = [&] {
    if (unk_ == kNoToken) {
      throw Error(ErrorCode::input,
                  fmt::format("the unknown token \"{}\" is needed but not in the vocabulary",
                              *bpe_.unk_token),
                  spec_.path + ": model.unk_token");
    }
  };
  for (std::size_t at = 0; at < segment.size();) {
    const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(segment[at]));
    Symbol symbol;
    std::string_view character = segment.substr(at, length);
    if (affixes_) {
      ws.text.clear();
      if (at > 0) ws.text += bpe_.continuing_subword_prefix;
      ws.text += character;
      if (at + length == segment.size()) ws.text += bpe_.end_of_word_suffix;
      character = ws.text;
      const TokenId id = vocab_.find(character);
      symbol = id == kNoToken ? kUnknownSymbol : id;
    } else {
      symbol = character_symbol(character);
    }
    at += length;
    if (symbol != kUnknownSymbol) {
      if (pending) add(unk_, pending_length);
      pending = false;
      add(symbol, length);
      continue;
    }
    if (bpe_.byte_fallback) {
      bool all = true;
      for (const char c : character)
        all &= byte_fallback_[static_cast<unsigned char>(c)] != kNoToken;
      if (all) {
        for (const char c : character) add(byte_fallback_[static_cast<unsigned char>(c)], 1);
        continue;
      }
    }
    if (!bpe_.unk_token) continue;  // dropped, as the reference does
    need_unknown();
    unknown = true;
    if (pending && bpe_.fuse_unk) {
      pending_length += length;
    } else {
      if (pending) add(unk_, pending_length);
      pending = true;
      pending_length = length;
    }
  }
  if (pending) add(unk_, pending_length);
}

bool BpeModel::merge_characters(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const {
  bool unknown = false;
  if (sentencepiece_) {
    bool cacheable = true;
    merge_sentencepiece(segment, ws, out, cacheable);
    return cacheable;
  }
  build_symbols(segment, ws, unknown);
  const std::size_t count = ws.symbols.size();
  if (count == 0) return false;
  ws.starts.resize(count);
  const std::size_t n = merger_.merge(ws.symbols.data(), ws.starts.data(), count, ws.merge);
  std::uint32_t done = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t end = ws.symbol_ends[i + 1 < n ? ws.starts[i + 1] - 1 : count - 1];
    out.put(ws.symbols[i], end - done);
    done = end;
  }
  return !unknown;
}

// SentencePiece's own BPE: characters merge by text, whether or not they are pieces; what is no
// piece in the end becomes byte pieces (only the last of a character covers it) or one unknown
// token per run.
void BpeModel::merge_sentencepiece(std::string_view segment, BpeWorkspace& ws, TokenSink& out,
                                   bool& cacheable) const {
  ws.symbols.clear();
  ws.symbol_ends.clear();
  for (std::size_t at = 0; at < segment.size();) {
    const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(segment[at]));
    ws.symbols.push_back(character_symbol(segment.substr(at, length)));
    at += length;
    ws.symbol_ends.push_back(static_cast<std::uint32_t>(at));
  }
  const std::size_t count = ws.symbols.size();
  ws.starts.resize(count);
  const std::size_t n = merger_.merge(ws.symbols.data(), ws.starts.data(), count, ws.merge);
  std::uint32_t done = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t end = ws.symbol_ends[i + 1 < n ? ws.starts[i + 1] - 1 : count - 1];
    const std::uint32_t length = end - done;
    if (ws.symbols[i] < vocab_.end_id()) {
      out.put(ws.symbols[i], length);
      ws.last_was_unknown = false;
    } else if (bpe_.byte_fallback) {
      for (std::uint32_t b = done; b < end; ++b)
        out.put(byte_fallback_[static_cast<unsigned char>(segment[b])], b + 1 == end ? length : 0);
      ws.last_was_unknown = false;
    } else {
      cacheable = false;
      if (ws.last_was_unknown)
        out.extend_last(length);
      else
        out.put(unk_, length);
      ws.last_was_unknown = true;
    }
    done = end;
  }
}

}  // namespace toktier::bpe
