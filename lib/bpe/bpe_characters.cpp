// The character alphabet: SentencePiece-style files, .model files, files with affixes.

#include "bpe/bpe_resolve.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace toktier::bpe {

using model::kNoToken;

void BpeModel::encode_characters(std::string_view piece, BpeWorkspace& ws, TokenSink& out) const {
  ws.last_was_unknown = false;
  if (bpe_.ignore_merges) {
    const TokenId id = vocab_.find(piece);
    if (id != kNoToken) {
      finish_batch(ws, out);
      out.reserve(1);
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
    finish_batch(ws, out);
    out.reserve(1);
    out.put(match.id, match.length);
    ws.last_was_unknown = false;
    at += match.length;
    run = at;
  }
  if (run < piece.size()) encode_run(piece.substr(run), ws, out);
}

// Cuts are counted without a branch: nothing predicts them.
std::size_t BpeModel::next_character_cuts(std::string_view run, std::size_t at, std::uint32_t* cuts,
                                          CutMemo& memo) const {
  const auto near = [](unicode::Decoded d) {
    return CutTable::near_index(d.code_point) != CutTable::kFar;
  };
  std::size_t count = 0;
  unicode::Decoded x = unicode::decode(run.data() + at);
  while (count + 32 < kCuts) {
    std::size_t border = at + x.length;
    if (border == run.size()) break;
    unicode::Decoded y = unicode::decode(run.data() + border);
    if (near(x) && near(y)) {
      border = cut_.near_cuts(run, at, cuts, kCuts, &count);
      if (border == run.size()) break;
      if (border > at) {
        const bool mark = static_cast<unsigned char>(run[border - 1]) >= 0x80;
        x.length = mark ? 3 : 1;
        at = border - x.length;
        x.code_point = unicode::decode(run.data() + at).code_point;
      }
      if (count + 32 >= kCuts) break;
      border = at + x.length;
      y = unicode::decode(run.data() + border);
    }
    // Up to an ASCII character, the next of which may be near too.
    for (;;) {
      bool cut = cut_.most_safe(x.code_point, y.code_point, memo);
      // Unknown neighbours fuse or change places in the reference; a known character ends such a
      // run. Without an unknown token the reference loses them, and what stands on both sides of
      // one may merge.
      if (!never_unknown_ && cut) {
        const bool left = character_symbol(run.substr(at, x.length)) != kUnknownSymbol;
        const bool right = character_symbol(run.substr(border, y.length)) != kUnknownSymbol;
        cut = unk_ == kNoToken ? left && right : left || right;
      }
      cuts[count] = static_cast<std::uint32_t>(border);
      count += cut;
      at = border;
      x = y;
      border += x.length;
      if (border == run.size() || static_cast<unsigned char>(run[border]) < 0x80 ||
          count + 32 >= kCuts)
        break;
      y = unicode::decode(run.data() + border);
    }
  }
  if (count + 32 < kCuts) cuts[count++] = static_cast<std::uint32_t>(run.size());
  return count;
}

void BpeModel::put_cached(const std::uint32_t* ids, std::size_t n, TokenSink& out) const {
  for (std::size_t i = 0; i < n; ++i) {
    const TokenId id = i == 0 ? ids[0] & PieceCache::kMaxId : ids[i];
    out.put(id, token_length_[id]);
  }
}

void BpeModel::encode_run(std::string_view run, BpeWorkspace& ws, TokenSink& out) const {
  // Lengths of unknown tokens are not known from ids; SentencePiece fuses unknown pieces across
  // segments when it has no byte pieces.
  const bool batched = out.wants_lengths() ? exact_lengths_ && complete_bytes_
                                           : !affixes_ && (!sentencepiece_ || bpe_.byte_fallback);
  if (batched) {
    encode_run_batched(run, ws, out);
  } else {
    finish_batch(ws, out);
    encode_run_plain(run, ws, out);
  }
}

// The next ends of segments after `at`: at least one, kCuts at most.
std::size_t BpeModel::segments(std::string_view run, std::size_t at, std::uint32_t* cuts,
                               BpeWorkspace& ws) const {
  if (cuts_) return next_character_cuts(run, at, cuts, ws.memo);
  cuts[0] = static_cast<std::uint32_t>(run.size());
  return 1;
}

void BpeModel::encode_run_plain(std::string_view run, BpeWorkspace& ws, TokenSink& out) const {
  // Every byte of a character and of its affixes gives at most one token (byte fallback); 4 more
  // for the unconditional 16-byte store.
  out.reserve(run.size() * (1 + bpe_.continuing_subword_prefix.size()) +
              bpe_.end_of_word_suffix.size() + PieceCache::kMaxShortIds + 1);
  const bool use_cache = !out.wants_lengths() || exact_lengths_;
  std::uint32_t cuts[kCuts];
  std::size_t known_cuts = 0, next_cut = 0;
  for (std::size_t at = 0; at < run.size();) {
    if (next_cut == known_cuts) {
      known_cuts = segments(run, at, cuts, ws);
      next_cut = 0;
    }
    const std::size_t cut = cuts[next_cut++];
    const std::string_view segment = run.substr(at, cut - at);
    at = cut;
    const bool short_segment = segment.size() <= PieceCache::kMaxShort;
    PieceCache::ShortKey key{0, 0};
    if (use_cache && short_segment) {
      key = PieceCache::short_key(segment.data(), segment.size(), false);
      if (const PieceCache::ShortEntry* hit = ws.cache.find_anywhere(key)) {
        ws.last_was_unknown = false;
        put_cached(hit->ids, PieceCache::count(*hit), out);
        continue;
      }
    } else if (use_cache) {
      const std::span<const TokenId> known = ws.longer.find(segment, 0);
      if (!known.empty()) {
        ws.last_was_unknown = false;
        put_cached(known.data(), known.size(), out);
        continue;
      }
    }
    const std::size_t from = out.size();
    if (!merge_characters(segment, ws, out) || !use_cache) continue;
    const TokenId* ids = out.cursor() - (out.size() - from);
    if (short_segment)
      ws.cache.insert(key, ids, out.size() - from);
    else
      ws.longer.insert(segment, 0, {ids, out.size() - from});
  }
}

void BpeModel::encode_run_batched(std::string_view run, BpeWorkspace& ws, TokenSink& out) const {
  const std::size_t first_token = out.size();
  // What follows the run in the text may be read with its last segments.
  const std::string_view text(run.data(), static_cast<std::size_t>(ws.text_end - run.data()));
  std::uint32_t cuts[kCuts];
  std::span<const std::uint32_t> ends;
  for (std::uint32_t at = 0; at < run.size();) {
    if (ends.empty()) ends = {cuts, segments(run, at, cuts, ws)};
    const std::size_t taken = ws.batch.add_pieces(text, at, ends, ws.cache);
    if (taken > 0) at = ends[taken - 1];
    ends = ends.subspan(taken);
    if (ws.batch.full()) {
      finish_characters(ws, out);
      continue;
    }
    if (ends.empty()) continue;
    const std::string_view segment = run.substr(at, ends.front() - at);
    at = ends.front();
    ends = ends.subspan(1);
    if (segment.size() <= MediumKey::kLongest) {
      add_medium(text, static_cast<std::uint32_t>(segment.data() - text.data()), at, false, ws);
      if (ws.batch.full()) finish_characters(ws, out);
      continue;
    }
    if (segment.size() > kStreamBytes && stream_characters(segment, ws, out)) continue;
    if (const auto known = ws.longer.find(segment, 0); !known.empty()) {
      ws.batch.add_known(known.data(), known.size(), segment.size(), ws.cache);
    } else {
      // What has 32 characters at most merges with others, later.
      ws.long_jobs.push_back({ws.batch.add_place(segment.size(), ws.cache), segment});
    }
    if (ws.batch.full()) finish_characters(ws, out);
  }
  if (!keep_long_jobs(ws)) finish_characters(ws, out);
  ws.last_was_unknown = false;
  fill_lengths(first_token, out);
}

// At the end of a call: segments of 32 bytes and more that wait for their merge stand in its text.
bool BpeModel::keep_long_jobs(BpeWorkspace& ws) {
  if (!ws.keep_open) return false;
  for (; ws.kept_jobs < ws.long_jobs.size(); ++ws.kept_jobs) {
    std::string_view& bytes = ws.long_jobs[ws.kept_jobs].bytes;
    if (bytes.size() > ws.kept_text.size() - ws.kept_bytes) return false;
    char* const to = ws.kept_text.data() + ws.kept_bytes;
    std::memcpy(to, bytes.data(), bytes.size());
    bytes = {to, bytes.size()};
    ws.kept_bytes += bytes.size();
  }
  return true;
}

// As stream_bytes(), character by character; false, and nothing is written, when some character
// needs byte or unknown tokens.
bool BpeModel::stream_characters(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const {
  class Source final : public SymbolSource {
   public:
    Source(const BpeModel& model, std::string_view text) : model_(model), text_(text) {}
    void fill(std::size_t begin, std::size_t count, Symbol* to) override {
      if (begin < index_) index_ = at_ = 0;
      for (; index_ < begin; ++index_) at_ += length(at_);
      std::size_t at = at_;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t n = length(at);
        to[i] = model_.character_symbol(text_.substr(at, n));
        at += n;
      }
    }

   private:
    std::size_t length(std::size_t at) const {
      return unicode::sequence_length(static_cast<unsigned char>(text_[at]));
    }
    const BpeModel& model_;
    std::string_view text_;
    std::size_t index_ = 0, at_ = 0;  // a character and where it begins
  };
  if (sentencepiece_) return false;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < segment.size(); ++characters) {
    const std::size_t n = unicode::sequence_length(static_cast<unsigned char>(segment[at]));
    if (character_symbol(segment.substr(at, n)) == kUnknownSymbol) return false;
    at += n;
  }
  finish_batch(ws, out);
  Source source(*this, segment);
  SinkTarget target(out);
  merger_.merge_stream(source, characters, target, ws.merge);
  return true;
}

// The ids are left in ws.alone. False when they must not be cached.
bool BpeModel::merge_alone(std::string_view segment, BpeWorkspace& ws) const {
  ws.alone.clear();
  TokenSink sink(ws.alone, nullptr);
  sink.reserve(segment.size());
  return merge_characters(segment, ws, sink);
}

// False when the text has more characters than a lane, or one that needs byte or unknown tokens.
template <class L>
bool BpeModel::lay_characters(std::string_view text, L& lane) const {
  std::uint32_t n = 0;
  std::uint8_t near[L::kLongest];
  for (std::size_t at = 0; at < text.size(); ++n) {
    if (n == L::kLongest) return false;
    const unicode::Decoded d = unicode::decode(text.data() + at);
    const Symbol symbol = d.code_point < 0x10000 ? bmp_symbol_[d.code_point]
                                                 : character_symbol(text.substr(at, d.length));
    if (symbol == kUnknownSymbol && !sentencepiece_) return false;
    lane.symbol[n] = symbol;
    near[n] = static_cast<std::uint8_t>(std::min(CutTable::near_index(d.code_point), kNotNear));
    at += d.length;
  }
  lane.start(n);
  // Ask for all of them first, so that they are under way together.
  const auto table = [&](std::uint32_t i) { return near[i] < kNotNear && near[i + 1] < kNotNear; };
  PairTable::Probe probes[L::kLongest];
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    if (table(i)) continue;
    probes[i] = pairs_.probe(lane.symbol[i], lane.symbol[i + 1]);
    pairs_.prefetch(probes[i]);
  }
  for (std::uint32_t i = 0; i + 1 < n; ++i)
    lane.set(i,
             table(i) ? near_pairs_[near[i] * kNotNear + near[i + 1]] : pairs_.resolve(probes[i]));
  return true;
}

void BpeModel::finish_characters(BpeWorkspace& ws, TokenSink& out) const {
  char bytes[16];
  const auto text_of = [&](PieceCache::ShortKey key) {
    std::memcpy(bytes, &key.low, 8);
    std::memcpy(bytes + 8, &key.high, 8);
    return std::string_view(bytes, PieceCache::length(key));
  };
  // What becomes byte tokens or unknown ones is rare and takes the long way.
  const auto alone = [&](std::uint32_t item) {
    const PieceCache::ShortKey key = ws.batch.key(item);
    const bool cacheable = merge_alone(text_of(key), ws);
    ws.batch.set(item, ws.alone.data(), ws.alone.size());
    if (cacheable) ws.cache.insert(key, ws.alone.data(), ws.alone.size());
    return false;
  };
  const auto all_tokens = [&](const TokenId* ids, std::size_t n) {
    return std::all_of(ids, ids + n, [&](TokenId id) { return id < vocab_.end_id(); });
  };
  const auto start = [&](ShortLane& lane, PieceCache::ShortKey key, std::uint32_t item) {
    return lay_characters(text_of(key), lane) || alone(item);
  };
  const auto accept = [&](std::uint32_t item, const TokenId* ids, std::size_t n) {
    return all_tokens(ids, n) || alone(item);
  };
  resolve(ws, start, accept);

  const auto medium_alone = [&](const MediumKey& key, std::uint32_t item) {
    const bool cacheable = merge_alone(key.bytes(), ws);
    ws.batch.set(item, ws.alone.data(), ws.alone.size());
    if (cacheable) remember_medium(key, ws.alone, ws);
    return false;
  };
  const auto start_medium = [&](auto& lane, const MediumKey& key, std::uint32_t item) {
    return lay_characters(key.bytes(), lane) || medium_alone(key, item);
  };
  const auto accept_medium = [&](const MediumKey& key, std::uint32_t item, const TokenId* ids,
                                 std::size_t n) {
    return all_tokens(ids, n) || medium_alone(key, item);
  };
  const auto is_short = [](const MediumKey& key) {
    return key.characters() <= ShortLane::kLongest;
  };
  if (!ws.medium_items.empty()) resolve_medium(ws, is_short, start_medium, accept_medium);

  const auto set_long = [&](const BpeWorkspace::LongJob& job, std::span<const TokenId> ids,
                            bool cacheable) {
    ws.batch.set(job.item, ids.data(), ids.size());
    if (cacheable && ws.longer.find(job.bytes, 0).empty()) ws.longer.insert(job.bytes, 0, ids);
  };
  const auto long_alone = [&](const BpeWorkspace::LongJob& job) {
    const bool cacheable = merge_alone(job.bytes, ws);
    set_long(job, ws.alone, cacheable);
  };
  std::uint32_t next = 0;
  const auto load = [&](LongLane& lane) {
    while (next < ws.long_jobs.size()) {
      const BpeWorkspace::LongJob& job = ws.long_jobs[next];
      lane.tag = next++;
      if (lay_characters(job.bytes, lane)) return true;
      // Equal ones of the same batch were not known when they were added.
      if (const auto known = ws.longer.find(job.bytes, 0); !known.empty())
        ws.batch.set(job.item, known.data(), known.size());
      else
        long_alone(job);
    }
    return false;
  };
  const auto done = [&](const LongLane& lane) {
    const BpeWorkspace::LongJob& job = ws.long_jobs[lane.tag];
    TokenId ids[LongLane::kLongest];
    const std::size_t n = lane.take(ids);
    if (all_tokens(ids, n))
      set_long(job, {ids, n}, true);
    else
      long_alone(job);
  };
  merge_lanes<LongLane>(pairs_, load, done);
  ws.forget_long_jobs();
  ws.batch.emit(out);
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
