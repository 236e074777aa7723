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
};

WordPieceModel::WordPieceModel(const model::TokenizerSpec& spec)
    : spec_(spec),
      word_piece_(std::get<model::WordPiece>(spec.model)),
      unk_(spec.vocab.find(word_piece_.unk_token)) {
  std::vector<std::pair<std::string_view, TokenId>> keys;
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) {
    const std::string_view text = spec.vocab[id];
    if (!text.empty() && spec.vocab.find(text) == id) keys.emplace_back(text, id);
  }
  trie_.build(std::move(keys));
  for (const char c : word_piece_.continuing_subword_prefix) {
    if (continuing_ == ByteTrie::kDead) break;
    continuing_ = trie_.step(continuing_, static_cast<unsigned char>(c));
  }
}

std::unique_ptr<Workspace> WordPieceModel::workspace(std::size_t cache_budget_bytes) const {
  return std::make_unique<Space>(cache_budget_bytes);
}

void WordPieceModel::encode_word(std::string_view word, TokenSink& out) const {
  const std::size_t from = out.size();
  const auto whole_word_unknown = [&] {
    out.rewind(from);
    out.put(need_unknown(spec_, unk_, word_piece_.unk_token),
            static_cast<std::uint32_t>(word.size()));
  };
  if (unicode::count_code_points(word) > word_piece_.max_input_chars_per_word)
    return whole_word_unknown();
  for (std::size_t at = 0; at < word.size();) {
    // The longest token that ends between two characters.
    std::uint32_t node = at == 0 ? ByteTrie::kRoot : continuing_;
    std::size_t best = at;
    TokenId id = kNoToken;
    for (std::size_t end = at; end < word.size() && node != ByteTrie::kDead;) {
      node = trie_.step(node, static_cast<unsigned char>(word[end++]));
      if (node == ByteTrie::kDead || trie_.value(node) == ByteTrie::kNoValue) continue;
      if (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) continue;
      best = end;
      id = trie_.value(node);
    }
    if (id == kNoToken) return whole_word_unknown();
    out.put(id, static_cast<std::uint32_t>(best - at));
    at = best;
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
    encode_word(word, out);
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
