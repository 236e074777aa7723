#include "bpe/word_models.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace toktier::bpe {

using model::kNoToken;

namespace {

TokenId need_unknown(const model::TokenizerSpec& spec, TokenId unk, const std::string& text) {
  if (unk == kNoToken) {
    throw Error(ErrorCode::input,
                fmt::format("the unknown token \"{}\" is needed but not in the vocabulary", text),
                spec.path + ": model.unk_token");
  }
  return unk;
}

}  // namespace

struct WordPieceModel::Space final : Workspace {
  explicit Space(std::size_t budget) : cache(budget) {}
  std::size_t cache_bytes() const override { return cache.bytes(); }
  PieceCache cache;
  std::string part;  // continuing prefix + the rest of the word
};

WordPieceModel::WordPieceModel(const model::TokenizerSpec& spec)
    : spec_(spec),
      word_piece_(std::get<model::WordPiece>(spec.model)),
      unk_(spec.vocab.find(word_piece_.unk_token)) {
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id)
    longest_ = std::max(longest_, spec.vocab[id].size());
}

std::unique_ptr<Workspace> WordPieceModel::workspace(std::size_t cache_budget_bytes) const {
  return std::make_unique<Space>(cache_budget_bytes);
}

void WordPieceModel::encode_word(std::string_view word, Space& ws, TokenSink& out) const {
  const std::size_t from = out.size();
  const auto whole_word_unknown = [&] {
    out.rewind(from);
    out.put(need_unknown(spec_, unk_, word_piece_.unk_token),
            static_cast<std::uint32_t>(word.size()));
  };
  if (unicode::count_code_points(word) > word_piece_.max_input_chars_per_word)
    return whole_word_unknown();
  const std::string& prefix = word_piece_.continuing_subword_prefix;
  for (std::size_t at = 0; at < word.size();) {
    std::string_view rest = word.substr(at);
    std::size_t affix = 0;
    if (at > 0) {
      ws.part.assign(prefix);
      ws.part.append(rest);
      rest = ws.part;
      affix = prefix.size();
    }
    std::size_t n = rest.size();
    TokenId id = kNoToken;
    while (n > affix) {
      if (n <= longest_ && (id = spec_.vocab.find(rest.substr(0, n))) != kNoToken) break;
      do --n;
      while (n > affix && (static_cast<unsigned char>(rest[n]) & 0xC0) == 0x80);
    }
    if (id == kNoToken) return whole_word_unknown();
    out.put(id, static_cast<std::uint32_t>(n - affix));
    at += n - affix;
  }
}

void WordPieceModel::encode(std::string_view text, std::uint32_t begin,
                            std::span<const std::uint32_t> ends, Workspace& workspace,
                            TokenSink& out) const {
  auto& ws = static_cast<Space&>(workspace);
  for (const std::uint32_t end : ends) {
    const std::string_view word = text.substr(begin, end - begin);
    begin = end;
    out.reserve(word.size() + 1);
    // Lengths do not follow from ids ("##a" may be a continuation or a word), so they bypass the
    // cache.
    const bool cached = word.size() <= PieceCache::kMaxShort && !out.wants_lengths();
    PieceCache::ShortKey key{0, 0};
    if (cached) {
      key = PieceCache::short_key(word.data(), word.size(), false);
      if (const PieceCache::ShortEntry* hit = ws.cache.find(key, ws.cache.set_of(key))) {
        out.put(hit->ids[0] & PieceCache::kMaxId, 0);
        for (std::size_t i = 1; i < PieceCache::count(*hit); ++i) out.put(hit->ids[i], 0);
        continue;
      }
    }
    const std::size_t from = out.size();
    encode_word(word, ws, out);
    if (cached) ws.cache.insert(key, out.cursor() - (out.size() - from), out.size() - from);
  }
}

std::string WordPieceModel::describe() const {
  return fmt::format("WordPiece: {} tokens, continuing prefix \"{}\", words up to {} characters",
                     spec_.vocab.size(), word_piece_.continuing_subword_prefix,
                     word_piece_.max_input_chars_per_word);
}

WordLevelModel::WordLevelModel(const model::TokenizerSpec& spec)
    : spec_(spec), unk_(spec.vocab.find(std::get<model::WordLevel>(spec.model).unk_token)) {}

std::unique_ptr<Workspace> WordLevelModel::workspace(std::size_t) const {
  return std::make_unique<Workspace>();
}

void WordLevelModel::encode(std::string_view text, std::uint32_t begin,
                            std::span<const std::uint32_t> ends, Workspace&, TokenSink& out) const {
  for (const std::uint32_t end : ends) {
    const std::string_view word = text.substr(begin, end - begin);
    begin = end;
    out.reserve(1);
    const TokenId id = spec_.vocab.find(word);
    out.put(id != kNoToken
                ? id
                : need_unknown(spec_, unk_, std::get<model::WordLevel>(spec_.model).unk_token),
            static_cast<std::uint32_t>(word.size()));
  }
}

std::string WordLevelModel::describe() const {
  return fmt::format("WordLevel: {} words", spec_.vocab.size());
}

}  // namespace toktier::bpe
