#pragma once
// The Rust standard library and crate functions that Hugging Face tokenizers uses on characters, as
// that engine (0.23.3) answers for every code point. Probed by scripts/unicode/rust_tables.py; each
// function keeps its own Unicode version, and they differ. All functions are pure and safe from any
// thread.

#include "unicode/code_point_set.hpp"

#include <cstdint>
#include <string_view>

namespace toktier::unicode::rust {

/// char::is_whitespace, as the WhitespaceSplit pre-tokenizer and the Strip normalizer use it.
const CodePointSet& white_space();
/// char::is_numeric, as the Digits pre-tokenizer uses it.
const CodePointSet& numeric();
/// What the Punctuation pre-tokenizer cuts out.
const CodePointSet& punctuation();
/// What the BertPreTokenizer cuts out, and what it drops.
const CodePointSet& bert_punctuation();
const CodePointSet& bert_white_space();
/// \s and \w of the regex crate: the Whitespace pre-tokenizer, and lstrip, rstrip and single_word
/// of added tokens.
const CodePointSet& regex_space();
const CodePointSet& regex_word();
/// BertNormalizer clean_text: removed, and turned into a blank.
const CodePointSet& bert_cleaned();
const CodePointSet& bert_to_space();
/// BertNormalizer handle_chinese_chars: set between blanks.
const CodePointSet& bert_chinese();
/// BertNormalizer strip_accents drops these after NFD; StripAccents drops the second set. They
/// differ.
const CodePointSet& mark_nonspacing();
const CodePointSet& combining_mark();
/// The Nmt normalizer: removed, and turned into a blank.
const CodePointSet& nmt_removed();
const CodePointSet& nmt_to_space();

/// char::to_lowercase, without context. Empty when the character is its own lower case.
std::u32string_view lower(char32_t c);
/// The characters that lower() changes.
const CodePointSet& has_lower();

/// Script number of the UnicodeScripts pre-tokenizer: it cuts before a character of script a != 0
/// unless the last character of a script other than 0 had the same. The numbers mean nothing else.
std::uint8_t script(char32_t c);

/// Class of a character in extended grapheme clusters (unicode-segmentation), as far as clusters of
/// less than 6 bytes can show it: regional indicators count as other.
enum class GraphemeClass : std::uint8_t {
  other,
  control,
  extend,
  zwj,
  spacing_mark,
  prepend,
  hangul_l,
  hangul_v,
  hangul_t,
  hangul_lv,
  hangul_lvt,
  pictographic,
  consonant,
  linker,
  conjunct_extend,
};
GraphemeClass grapheme_class(char32_t c);

}  // namespace toktier::unicode::rust
