#pragma once
// For tests: the small tokenizers by kind, and the pre-tokenizer chains and normalizers to put them
// behind.

#include "model/testing/small_tokenizers.hpp"

#include <vector>

namespace toktier::model::testing {

struct Chain {
  const char* name;
  std::vector<PreTokenizer> steps;
};

inline std::vector<Chain> chains() {
  const auto split = [](const char* regex, SplitBehavior behavior, bool invert = false) {
    return PreSplit{{true, regex}, behavior, invert};
  };
  std::vector<Chain> rows = {
      {"none", {}},
      {"byte level", {PreByteLevel{true, true}}},
      {"byte level, no prefix", {PreByteLevel{false, true}}},
      {"byte level, no regex", {PreByteLevel{true, false}}},
      {"digits", {PreDigits{false}}},
      {"digits, one by one", {PreDigits{true}}},
      {"metaspace always", {PreMetaspace{"\xE2\x96\x81", PrependScheme::always, true}}},
      {"metaspace first", {PreMetaspace{"\xE2\x96\x81", PrependScheme::first, true}}},
      {"metaspace never, whole", {PreMetaspace{"\xE2\x96\x81", PrependScheme::never, false}}},
      {"whitespace", {PreWhitespace{}}},
      {"whitespace split", {PreWhitespaceSplit{}}},
      {"bert", {PreBert{}}},
      {"character", {PreCharDelimiterSplit{U'b'}}},
      {"scripts", {PreUnicodeScripts{}}},
      {"fixed length", {PreFixedLength{3}}},
      {"whitespace split, metaspace",
       {PreWhitespaceSplit{}, PreMetaspace{"\xE2\x96\x81", PrependScheme::always, true}}},
      {"punctuation, digits, byte level",
       {PrePunctuation{SplitBehavior::contiguous}, PreDigits{true}, PreByteLevel{false, true}}},
      {"byte level, then mapped", {PreByteLevel{false, false}, PreDigits{true}, PrePunctuation{}}},
      {"byte level, then a literal",
       {PreByteLevel{true, true},
        PreSplit{{false, "\xC4\xA0"}, SplitBehavior::merged_with_next, false}}},
      {"two regexes",
       {split("a+", SplitBehavior::merged_with_previous), split(R"(\s+)", SplitBehavior::removed)}},
      {"inverted", {split("[a-c]+|1", SplitBehavior::removed, true)}},
      {"scripts, metaspace first",
       {PreUnicodeScripts{}, PreMetaspace{"\xE2\x96\x81", PrependScheme::first, true}}},
  };
  for (const auto behavior :
       {SplitBehavior::removed, SplitBehavior::isolated, SplitBehavior::merged_with_previous,
        SplitBehavior::merged_with_next, SplitBehavior::contiguous}) {
    rows.push_back({"literal", {PreSplit{{false, "b"}, behavior, false}}});
    rows.push_back({"literal, inverted", {PreSplit{{false, "ab"}, behavior, true}}});
    rows.push_back({"punctuation", {PrePunctuation{behavior}}});
    rows.push_back({"regex", {split("b|c1?", behavior)}});
  }
  return rows;
}

inline std::vector<std::vector<Normalizer>> normalizers() {
  return {{},
          {NormNfkc{}},
          {NormLowercase{}, NormStrip{true, true}},
          {NormPrepend{"\xE2\x96\x81"}, NormReplace{{false, " "}, "\xE2\x96\x81"}},
          {NormBert{}},
          {NormReplace{{true, " {2,}|b+"}, "a"}},
          {NormStrip{true, false}, NormReplace{{false, "1"}, "  "}},
          {NormStripAccents{}, NormNfd{}},
          {NormReplace{{false, "a"}, ""}, NormPrepend{""}}};
}

struct Model {
  const char* name;
  TokenizerSpec spec;
};

inline std::vector<Model> models() {
  return {{"bpe", small_bpe(false, false, true, false)},
          {"bpe, fused", small_bpe(false, true, true, false)},
          {"bpe, bytes", small_bpe(true, true, true, false)},
          {"bpe, no unknown", small_bpe(false, false, false, false)},
          {"bpe, whole piece first", small_bpe(true, false, true, true)},
          {"bpe, affixes", small_affix_bpe()},
          {"bpe, byte alphabet", small_byte_bpe(true)},
          {"bpe, byte alphabet with a hole", small_byte_bpe(false)},
          {"unigram", small_unigram(false, true)},
          {"unigram, bytes", small_unigram(true, true)},
          {"unigram, no unknown", small_unigram(false, false)},
          {"wordpiece", small_wordpiece(true)},
          {"wordpiece, no prefix", small_wordpiece(false)},
          {"wordlevel", small_wordlevel()}};
}

}  // namespace toktier::model::testing
