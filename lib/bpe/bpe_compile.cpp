#include "base/beside.hpp"
#include "base/hash.hpp"
#include "bpe/bpe_model.hpp"
#include "bpe/byte_alphabet.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <future>

namespace toktier::bpe {

using model::Bpe;
using model::kNoToken;
using model::PieceType;

namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

std::string byte_token_text(unsigned b) {
  return std::string("<0x") + kHex[b >> 4] + kHex[b & 15] + ">";
}

// 0xC0, 0xC1 and 0xF5..0xFF are in no well-formed text; vocabularies often lack them.
bool occurs_in_utf8(unsigned b) { return b != 0xC0 && b != 0xC1 && b < 0xF5; }

bool one_character(std::string_view text) {
  return !text.empty() &&
         unicode::sequence_length(static_cast<unsigned char>(text[0])) == text.size();
}

}  // namespace

BpeModel::BpeModel(const model::TokenizerSpec& spec, bool byte_level, bool blanks_are_marks)
    : spec_(spec),
      bpe_(std::get<Bpe>(spec.model)),
      vocab_(spec.vocab),
      blanks_are_marks_(blanks_are_marks) {
  if (vocab_.end_id() >= kUnknownSymbol) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("token id {}; ids below {} are supported", vocab_.end_id() - 1, kUnknownSymbol),
        spec.path + ": vocabulary");
  }
  lane_kernel();  // a kernel that does not run here is refused at load
  affixes_ = !bpe_.continuing_subword_prefix.empty() || !bpe_.end_of_word_suffix.empty();
  if (bpe_.unk_token) unk_ = vocab_.find(*bpe_.unk_token);
  compile_alphabet(byte_level);
  if (blanks_are_marks_) bmp_symbol_[U' '] = character_symbol(kWordMark);
  const auto texts = [this] {
    if (mapped_) compile_raw_bytes();
    compile_lengths();
  };
  if (sentencepiece_) {
    compile_all_splits();  // adds symbols that the rest looks at
    texts();
    compile_cuts();
  } else {
    // Two threads of about equal length: what the tokens are in bytes and the table of whole ones
    // here, the merges and the cuts, which need those bytes, there.
    std::promise<void> texts_ready;
    base::Beside beside([&] {
      try {
        texts();
      } catch (...) {
        texts_ready.set_exception(std::current_exception());
        return;
      }
      texts_ready.set_value();
      if (whole_first_) compile_whole();
    });
    if (bpe_.priority == Bpe::Priority::list)
      compile_list();
    else
      compile_all_splits();
    texts_ready.get_future().get();
    compile_cuts();
    beside.join();
  }
  if (bytes_)
    compile_byte_pairs();
  else
    compile_near_pairs();
}

void BpeModel::compile_near_pairs() {
  near_pairs_.resize(std::size_t{kNotNear} * kNotNear);
  for (unsigned x = 0; x < kNotNear; ++x)
    for (unsigned y = 0; y < kNotNear; ++y)
      near_pairs_[x * kNotNear + y] =
          pairs_.find(bmp_symbol_[CutTable::character(x)], bmp_symbol_[CutTable::character(y)]);
}

// The first round of every piece asks for pairs of bytes: half of all lookups, by plain index.
void BpeModel::compile_byte_pairs() {
  byte_pairs_.assign(std::size_t{1} << 16, Merged{});
  for (std::size_t x = 0; x < 256; ++x) {
    for (std::size_t y = 0; y < 256; ++y) {
      // No merge result holds the two side by side: there is nothing to look up.
      if (cuts_ && cut_.safe_bytes(static_cast<unsigned char>(x), static_cast<unsigned char>(y)))
        continue;
      byte_pairs_[(x << 8) | y] = pairs_.find(byte_symbol_[x], byte_symbol_[y]);
    }
  }
}

void BpeModel::compile_alphabet(bool byte_level) {
  sentencepiece_ = bpe_.priority == Bpe::Priority::scores;
  mapped_ = byte_level && bpe_.priority == Bpe::Priority::list;
  bytes_ = mapped_ || bpe_.priority == Bpe::Priority::ranks;
  complete_bytes_ = true;
  std::string text;
  for (unsigned b = 0; b < 256; ++b) {
    const char raw = static_cast<char>(b);
    if (bytes_) {
      text.clear();
      if (mapped_)
        append_token_text(std::string_view(&raw, 1), text);
      else
        text.assign(1, raw);
      const TokenId id = vocab_.find(text);
      byte_symbol_[b] = id == kNoToken ? kUnknownSymbol : id;
      complete_bytes_ &= id != kNoToken || !occurs_in_utf8(b);
    } else {
      byte_fallback_[b] = bpe_.byte_fallback ? vocab_.find(byte_token_text(b)) : kNoToken;
      complete_bytes_ &= byte_fallback_[b] != kNoToken;
    }
  }
  if (bytes_ && !complete_bytes_) {
    throw Error(ErrorCode::input, "a byte that occurs in UTF-8 has no token",
                spec_.path + (mapped_ ? ": model.vocab" : ": ranks"));
  }
  if (bytes_) return;
  bmp_symbol_.assign(0x10000, kUnknownSymbol);
  internal_symbols_ = vocab_.end_id();
  for (TokenId id = 0; id < vocab_.end_id(); ++id) {
    const std::string_view token = vocab_[id];
    if (!one_character(token)) continue;
    if (sentencepiece_ && !spec_.piece_types.empty()) {
      const PieceType type = spec_.piece_types[id];
      if (type != PieceType::normal && type != PieceType::user_defined && type != PieceType::unused)
        continue;
    }
    const char32_t c = unicode::decode(token.data()).code_point;
    if (c < 0x10000) bmp_symbol_[c] = vocab_.find(token);
  }
  if (sentencepiece_) {
    for (TokenId id = 0; id < spec_.piece_types.size(); ++id) {
      if (spec_.piece_types[id] == PieceType::user_defined) user_defined_.add(vocab_[id], id);
      if (spec_.piece_types[id] == PieceType::unknown) unk_ = id;
      if (spec_.piece_types[id] == PieceType::unused) {
        throw Error(
            ErrorCode::unsupported,
            fmt::format("piece {} is of type UNUSED in a BPE model; it would need re-segmentation",
                        id),
            spec_.path + ": pieces");
      }
    }
    user_defined_.finish();
  }
}

Symbol BpeModel::character_symbol(std::string_view character) const {
  const char32_t c = unicode::decode(character.data()).code_point;
  if (c < 0x10000) return bmp_symbol_[c];
  const TokenId id = vocab_.find(character);
  if (id != kNoToken) {
    if (!sentencepiece_ || spec_.piece_types.empty()) return id;
    const PieceType type = spec_.piece_types[id];
    if (type == PieceType::normal || type == PieceType::user_defined) return id;
  }
  for (const auto& [text, symbol] : internal_characters_)
    if (text == character) return symbol;
  return kUnknownSymbol;
}

// The bytes of every token, side by side; a token outside the byte alphabet can never be built from
// bytes and counts as empty.
void BpeModel::compile_raw_bytes() {
  raw_begin_.reserve(std::size_t{vocab_.end_id()} + 1);
  std::string buffer;
  for (TokenId id = 0; id < vocab_.end_id(); ++id) {
    raw_begin_.push_back(static_cast<std::uint32_t>(raw_bytes_.size()));
    if (bytes_of_token(vocab_[id], buffer)) raw_bytes_ += buffer;
  }
  raw_begin_.push_back(static_cast<std::uint32_t>(raw_bytes_.size()));
}

std::string_view BpeModel::token_bytes(TokenId id) const {
  if (!mapped_) return vocab_[id];
  return std::string_view(raw_bytes_).substr(raw_begin_[id], raw_begin_[id + 1] - raw_begin_[id]);
}

void BpeModel::compile_list() {
  std::vector<PairTable::Entry> entries;
  entries.reserve(bpe_.merges.size());
  for (const model::Merge& m : bpe_.merges)
    entries.push_back({m.left, m.right, static_cast<std::uint32_t>(entries.size()), m.result});
  pairs_.build(entries);
}

// Rank files and SentencePiece: two neighbours merge when their joined text is a token, so every
// split of every token into two possible symbols is a rule. A symbol is a token or a single
// character (byte).
void BpeModel::compile_all_splits() {
  const bool ranks = bpe_.priority == Bpe::Priority::ranks;
  std::vector<TokenId> mergeable;
  for (TokenId id = 0; id < vocab_.end_id(); ++id) {
    if (!vocab_.has(id) || vocab_[id].size() < 2) continue;
    if (!ranks) {
      const PieceType type = spec_.piece_types.at(id);
      if (type != PieceType::normal && type != PieceType::user_defined) continue;
      if (one_character(vocab_[id])) continue;
    }
    mergeable.push_back(id);
  }
  if (ranks) {
    std::stable_sort(mergeable.begin(), mergeable.end(),
                     [&](TokenId a, TokenId b) { return bpe_.rank[a] < bpe_.rank[b]; });
  } else {
    std::stable_sort(mergeable.begin(), mergeable.end(),
                     [&](TokenId a, TokenId b) { return bpe_.score[a] > bpe_.score[b]; });
  }
  // Symbol of a part, kUnknownSymbol when it is none. Characters that are no pieces get an internal
  // symbol.
  const auto symbol_of = [&](std::string_view part) -> Symbol {
    if (!ranks && one_character(part)) {
      const Symbol known = character_symbol(part);
      if (known != kUnknownSymbol) return known;
      const Symbol fresh = internal_symbols_++;
      const char32_t c = unicode::decode(part.data()).code_point;
      if (c < 0x10000)
        bmp_symbol_[c] = fresh;
      else
        internal_characters_.emplace_back(std::string(part), fresh);
      return fresh;
    }
    const TokenId id = vocab_.find(part);
    if (id == kNoToken) return kUnknownSymbol;
    if (!ranks) {
      const PieceType type = spec_.piece_types[id];
      if (type != PieceType::normal && type != PieceType::user_defined) return kUnknownSymbol;
    }
    return id;
  };
  std::vector<PairTable::Entry> entries;
  entries.reserve(mergeable.size() * 2);
  std::uint32_t priority = 0;
  for (std::size_t i = 0; i < mergeable.size(); ++i) {
    const TokenId id = mergeable[i];
    // Equal ranks or scores are one priority: the leftmost pair decides.
    if (i > 0) {
      const TokenId before = mergeable[i - 1];
      priority += ranks ? bpe_.rank[id] != bpe_.rank[before] : bpe_.score[id] < bpe_.score[before];
    }
    const std::string_view token = vocab_[id];
    for (std::size_t cut = 1; cut < token.size(); ++cut) {
      if (!ranks && (static_cast<unsigned char>(token[cut]) & 0xC0) == 0x80) continue;
      const Symbol left = symbol_of(token.substr(0, cut));
      if (left == kUnknownSymbol) continue;
      const Symbol right = symbol_of(token.substr(cut));
      if (right == kUnknownSymbol) continue;
      entries.push_back({left, right, priority, id});
    }
  }
  pairs_.build(entries);
}

// Tokens by their bytes: short ones in one table, the others of mapped files in another (a rank
// file's vocabulary is by bytes already).
void BpeModel::compile_whole() {
  std::size_t shorter = 0, longer = 0;
  const auto counts = [&](TokenId id) {
    const std::string_view bytes = token_bytes(id);
    return vocab_.has(id) && !bytes.empty() && id <= WholeTokens::kMaxId;
  };
  for (TokenId id = 0; id < vocab_.end_id(); ++id)
    if (counts(id)) ++(token_bytes(id).size() <= WholeTokens::kLongest ? shorter : longer);
  whole_.start(shorter);
  std::vector<std::pair<std::string_view, TokenId>> short_tokens;
  short_tokens.reserve(shorter);
  std::size_t capacity = 4;
  while (capacity < longer * 2) capacity *= 2;
  if (mapped_) raw_slots_.assign(capacity, {});
  for (TokenId id = 0; id < vocab_.end_id(); ++id) {
    if (!counts(id)) continue;
    const std::string_view bytes = token_bytes(id);
    if (bytes.size() <= WholeTokens::kLongest) {
      short_tokens.emplace_back(bytes, id);
      continue;
    }
    longest_token_ = std::max(longest_token_, bytes.size());
    if (!mapped_) continue;
    const std::uint64_t hash = base::hash_bytes(bytes);
    std::size_t slot = hash & (capacity - 1);
    while (raw_slots_[slot].id != kNoToken && token_bytes(raw_slots_[slot].id) != bytes)
      slot = (slot + 1) & (capacity - 1);
    raw_slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), id};
  }
  // Of equal texts the last counts. The table is larger than the caches: ask for a place early.
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < short_tokens.size() + kAhead; ++i) {
    if (i < short_tokens.size()) {
      const std::string_view bytes = short_tokens[i].first;
      whole_.prefetch(PieceCache::short_key(bytes.data(), bytes.size(), false));
    }
    if (i >= kAhead) whole_.add(short_tokens[i - kAhead].first, short_tokens[i - kAhead].second);
  }
}

void BpeModel::compile_lengths() {
  exact_lengths_ = !affixes_ && !sentencepiece_;
  token_length_.assign(vocab_.end_id(), 0);
  for (TokenId id = 0; id < vocab_.end_id(); ++id)
    token_length_[id] = static_cast<std::uint32_t>(token_bytes(id).size());
  if (bytes_) {
    whole_first_ = bpe_.ignore_merges;
    return;
  }
  for (unsigned b = 0; b < 256; ++b)
    if (byte_fallback_[b] != kNoToken) token_length_[byte_fallback_[b]] = 1;
  // A merge that builds the unknown or a byte token, or from one, would make lengths depend on more
  // than the id.
  for (const model::Merge& m : bpe_.merges) {
    const bool sums = token_length_[m.left] + token_length_[m.right] == token_length_[m.result];
    exact_lengths_ &= sums && m.left != unk_ && m.right != unk_ && m.result != unk_;
  }
}

// Where a blank is one more way to write the mark, it touches what the mark touches, in any
// mixture of both.
void BpeModel::add_to_cuts(std::string_view result) {
  cut_.add(result);
  if (!blanks_are_marks_) return;
  std::string around;
  for (std::size_t at = 0; (at = result.find(kWordMark, at)) != std::string_view::npos;) {
    const std::size_t end = at + kWordMark.size();
    std::size_t before = at;
    while (before > 0 && (static_cast<unsigned char>(result[--before]) & 0xC0) == 0x80) {
    }
    around.assign(result, before, at - before);
    around += ' ';
    if (end < result.size()) {
      around.append(result, end, unicode::sequence_length(static_cast<unsigned char>(result[end])));
      if (result.substr(end).starts_with(kWordMark)) cut_.add("  ");
    }
    cut_.add(around);
    at = end;
  }
}

void BpeModel::compile_cuts() {
  if (affixes_) why_no_cuts_ = "symbols depend on their place in the piece";
  if (!bytes_ && !sentencepiece_ && !exact_lengths_ && why_no_cuts_.empty())
    why_no_cuts_ = "a merge involves a byte or unknown token";
  cuts_ = why_no_cuts_.empty();
  if (!cuts_) return;
  never_unknown_ = complete_bytes_ || sentencepiece_;
  // Beside a character that is unknown the rule for cuts is another (next_character_cuts).
  for (unsigned near = 0; near < kNotNear && !never_unknown_; ++near)
    if (bmp_symbol_[CutTable::character(near)] == kUnknownSymbol) cut_.leave_out(near);
  if (bpe_.priority == Bpe::Priority::list) {
    // All results, and where whole pieces are looked up all tokens, so that none holds a cut: a
    // piece that has one need not be looked for. In the order of the ids, as their bytes lie in
    // memory.
    std::vector<bool> wanted(vocab_.end_id(), whole_first_);
    for (const model::Merge& m : bpe_.merges) wanted[m.result] = true;
    for (TokenId id = 0; id < vocab_.end_id(); ++id)
      if (wanted[id] && token_bytes(id).size() > 1) add_to_cuts(token_bytes(id));
  } else {
    for (TokenId id = 0; id < vocab_.end_id(); ++id)
      if (vocab_[id].size() > 1) add_to_cuts(vocab_[id]);
  }
  cut_.finish();
}

std::unique_ptr<Workspace> BpeModel::workspace(std::size_t cache_budget_bytes) const {
  return std::make_unique<BpeWorkspace>(cache_budget_bytes);
}

std::string BpeModel::describe() const {
  const char* priority = bpe_.priority == Bpe::Priority::list    ? "merge list"
                         : bpe_.priority == Bpe::Priority::ranks ? "ranks"
                                                                 : "scores";
  return fmt::format("BPE over {}: {} pairs by {}{}, {}", bytes_ ? "bytes" : "characters",
                     pairs_.pairs(), priority, bpe_.ignore_merges ? ", whole piece first" : "",
                     cuts_ ? fmt::format("exact cuts ({} touching pairs)", cut_.recorded_pairs())
                           : "no cuts: " + why_no_cuts_);
}

}  // namespace toktier::bpe
