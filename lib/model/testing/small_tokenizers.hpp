#pragma once
// For tests: tokenizers of a few dozen entries, made by hand, so that every stage and every switch
// of it can be met by short texts.

#include "model/spec.hpp"
#include "unicode/utf8.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace toktier::model::testing {

inline TokenId put(model::TokenizerSpec& spec, const std::string& text) {
  const TokenId id = spec.vocab.end_id();
  spec.vocab.add(id, text);
  return id;
}

inline TokenId id_of(const model::TokenizerSpec& spec, const std::string& text) {
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id)
    if (spec.vocab[id] == text) return id;
  return model::kNoToken;
}

/// The characters the small tokenizers know; texts also hold others.
inline std::vector<std::string> known_characters() {
  return {
      "a",       "b", "c", "A", "1", "2", "'", "!", " ", "\xE2\x96\x81", "\xC3\xA9", "\xE4\xBD\xA0",
      "\xC4\xA0"};
}

inline void put_bytes(model::TokenizerSpec& spec) {
  const char* const digits = "0123456789ABCDEF";
  for (unsigned b = 0; b < 256; ++b)
    put(spec, std::string("<0x") + digits[b / 16] + digits[b % 16] + ">");
}

/// `pairs` of texts, each pair joined (the right one without `prefix`), in order of rank.
inline void put_merges(model::TokenizerSpec& spec, model::Bpe& bpe,
                       const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [left, right] : pairs) {
    const std::string joined = left + right.substr(bpe.continuing_subword_prefix.size());
    TokenId result = id_of(spec, joined);
    if (result == model::kNoToken) result = put(spec, joined);
    bpe.merges.push_back({id_of(spec, left), id_of(spec, right), result});
  }
}

inline model::TokenizerSpec small_bpe(bool byte_fallback, bool fuse_unk, bool unknown,
                                      bool ignore_merges) {
  model::TokenizerSpec spec;
  model::Bpe bpe;
  put(spec, "<unk>");
  if (byte_fallback) put_bytes(spec);
  for (const std::string& c : known_characters()) put(spec, c);
  put_merges(spec, bpe,
             {{"b", "c"},
              {"a", "b"},
              {"ab", "c"},
              {"a", "a"},
              {"a", "bc"},
              {"1", "2"},
              {"aa", "aa"},
              {"\xE2\x96\x81", "a"},
              {" ", "a"},
              {"\xE2\x96\x81\x61", "bc"},
              {"\xC3\xA9", "\xE4\xBD\xA0"},
              {"\xE2\x96\x81", "\xE2\x96\x81"},
              {"'", "a"},
              {"b", "c"}});
  put(spec, "cab");
  if (unknown) bpe.unk_token = "<unk>";
  bpe.byte_fallback = byte_fallback;
  bpe.fuse_unk = fuse_unk;
  bpe.ignore_merges = ignore_merges;
  spec.model = bpe;
  spec.vocab.index();
  return spec;
}

inline model::TokenizerSpec small_affix_bpe() {
  model::TokenizerSpec spec;
  model::Bpe bpe;
  bpe.unk_token = "<unk>";
  bpe.continuing_subword_prefix = "##";
  bpe.end_of_word_suffix = "</w>";
  put(spec, "<unk>");
  for (const std::string& c : known_characters()) {
    for (const char* before : {"", "##"})
      for (const char* after : {"", "</w>"}) put(spec, before + c + after);
  }
  put_merges(spec, bpe,
             {{"a", "##b"},
              {"##b", "##c</w>"},
              {"ab", "##c</w>"},
              {"##1", "##2"},
              {"##a", "##b"},
              {"a", "##a</w>"}});
  spec.model = bpe;
  spec.vocab.index();
  return spec;
}

/// The byte alphabet as the vocabulary; used behind a ByteLevel step.
inline model::TokenizerSpec small_byte_bpe(bool whole) {
  model::TokenizerSpec spec;
  model::Bpe bpe;
  const auto printable = [](unsigned b) {
    return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
  };
  char32_t next = 0x100;
  for (unsigned b = 0; b < 256; ++b) {
    const char32_t c = printable(b) ? b : next++;
    if (!whole && b == 0xE9) continue;
    std::string text;
    unicode::append_utf8(text, c);
    put(spec, text);
  }
  put_merges(spec, bpe,
             {{"\xC4\xA0", "a"},
              {"a", "b"},
              {"\xC4\xA0\x61", "b"},
              {"1", "2"},
              {"\xC3\xA3", "\xC3\xA4"},
              {"a", "a"},
              {"'", "a"}});
  spec.model = bpe;
  spec.vocab.index();
  return spec;
}

inline model::TokenizerSpec small_ranks() {
  model::TokenizerSpec spec;
  spec.kind = model::FileKind::tiktoken;
  spec.reference = model::Reference::tiktoken;
  spec.specials_by_default = false;
  model::Bpe bpe;
  bpe.priority = model::Bpe::Priority::ranks;
  bpe.ignore_merges = true;
  for (unsigned b = 0; b < 256; ++b) put(spec, std::string(1, static_cast<char>(b)));
  for (const char* text : {"bc", "ab", "abc", "aa", "aaa", " a", " ab", "12", "\xC3\xA9", "ca"})
    put(spec, text);
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id) bpe.rank.push_back(id);
  spec.model = bpe;
  spec.vocab.index();
  spec.pre_tokenizers.push_back(
      model::PreSplit{{true, R"('a| ?\p{L}+| ?\p{N}{1,2}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
                      model::SplitBehavior::isolated,
                      false});
  return spec;
}

inline model::TokenizerSpec small_unigram(bool byte_fallback, bool unknown) {
  model::TokenizerSpec spec;
  model::Unigram unigram;
  std::mt19937 random(7);
  put(spec, "<unk>");
  if (byte_fallback) put_bytes(spec);
  for (const std::string& c : known_characters()) put(spec, c);
  for (const char* text : {"ab", "bc", "abc", "aa", "aab", "caa", "\xE2\x96\x81\x61", "12",
                           "\xE2\x96\x81\x61\x62", "xz", "\xC3\xA9\xE4\xBD\xA0"})
    put(spec, text);
  for (TokenId id = 0; id < spec.vocab.end_id(); ++id)
    unigram.score.push_back(-static_cast<double>(random() % 9) / 2 - 1);
  if (unknown) unigram.unk_id = 0;
  unigram.byte_fallback = byte_fallback;
  spec.model = unigram;
  spec.vocab.index();
  return spec;
}

/// Both kinds of SentencePiece model, with a user-defined piece and, for Unigram, an unused one.
inline model::TokenizerSpec small_sentencepiece(bool bpe_kind, bool byte_fallback) {
  model::TokenizerSpec spec = small_unigram(byte_fallback, true);
  spec.kind = model::FileKind::sentencepiece;
  spec.reference = model::Reference::sentencepiece;
  spec.specials_by_default = false;
  model::NormSentencePiece normalizer;
  normalizer.remove_extra_whitespaces = byte_fallback;
  spec.normalizers = {normalizer};
  spec.piece_types.assign(spec.vocab.end_id(), model::PieceType::normal);
  spec.piece_types[0] = model::PieceType::unknown;
  for (TokenId id = 1; byte_fallback && id <= 256; ++id)
    spec.piece_types[id] = model::PieceType::byte;
  spec.piece_types[id_of(spec, "caa")] = model::PieceType::user_defined;
  auto& unigram = std::get<model::Unigram>(spec.model);
  if (!bpe_kind) {
    spec.piece_types[id_of(spec, "bc")] = model::PieceType::unused;
    return spec;
  }
  model::Bpe bpe;
  bpe.priority = model::Bpe::Priority::scores;
  bpe.byte_fallback = byte_fallback;
  for (const double score : unigram.score) bpe.score.push_back(static_cast<float>(score));
  spec.model = bpe;
  return spec;
}

inline model::TokenizerSpec small_wordpiece(bool prefix) {
  model::TokenizerSpec spec;
  model::WordPiece word;
  word.max_input_chars_per_word = 7;
  if (!prefix) word.continuing_subword_prefix = "";
  put(spec, "[UNK]");
  for (const char* text : {"a", "ab", "abc", "##a", "##b", "##bc", "##c", "##1", "1", "12", "!",
                           "b", "c", "\xE4\xBD\xA0", "##\xC3\xA9", "\xE2\x96\x81"})
    put(spec, text);
  spec.model = word;
  spec.vocab.index();
  return spec;
}

inline model::TokenizerSpec small_wordlevel() {
  model::TokenizerSpec spec;
  for (const char* text : {"<unk>", "a", "ab", "abc", "12", "!", "\xE4\xBD\xA0", " a"})
    put(spec, text);
  spec.model = model::WordLevel{};
  spec.vocab.index();
  return spec;
}

inline void put_added(model::TokenizerSpec& spec) {
  const auto add = [&](const char* content, bool special, bool normalized, int flags) {
    model::AddedToken token;
    token.id = id_of(spec, content);
    if (token.id == model::kNoToken)
      token.id = static_cast<TokenId>(spec.vocab.end_id() + spec.added_tokens.size());
    token.content = content;
    token.special = special;
    token.normalized = normalized;
    token.lstrip = (flags & 1) != 0;
    token.rstrip = (flags & 2) != 0;
    token.single_word = (flags & 4) != 0;
    spec.added_tokens.push_back(token);
  };
  add("<s>", true, false, 0);
  add("<s>a", false, false, 0);
  add("[L]", true, false, 1);
  add("[R]", false, false, 2);
  add("[W]", false, false, 4);
  add("[B]", true, false, 3);
  add("Aa", false, true, 0);
  add("A1", false, true, 5);
  add("bb", false, true, 2);
}

/// Short texts over the known characters, unknown ones, blanks and added tokens.
inline std::vector<std::string> small_texts(std::size_t count, std::uint32_t seed) {
  std::vector<std::string> parts = known_characters();
  for (const char* more : {"a",
                           "b",
                           "c",
                           "a",
                           "b",
                           "c",
                           "ab",
                           " ",
                           "  ",
                           "\n",
                           "\t",
                           "\xC2\xA0",
                           "x",
                           "xz",
                           "\xF0\x9F\x98\x80",
                           "e\xCC\x81",
                           "\xE1\xB8\x80",
                           "caa",
                           "cab",
                           "<s>",
                           "[L]",
                           "[R]",
                           "[W]",
                           "[B]",
                           "Aa",
                           "bb",
                           "A1",
                           "<unk>",
                           "<0x41>",
                           ".",
                           "-",
                           "\xD0\x96",
                           "\xE3\x82\xAB",
                           "\xE3\x83\xBC",
                           "\xEF\xBC\x91"})
    parts.emplace_back(more);
  std::mt19937 random(seed);
  std::vector<std::string> texts = {""};
  while (texts.size() < count) {
    std::string text;
    for (auto n = 1 + random() % 9; n > 0; --n) text += parts[random() % parts.size()];
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Texts of few letters, where merges compete.
inline std::vector<std::string> dense_texts(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::string text;
    for (auto n = 1 + random() % 12; n > 0; --n) text += "abcaabc "[random() % 8];
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace toktier::model::testing
