#pragma once
// What differs between the regex engines the reference tokenizers use, as data. The syntax they
// share is in the parser.

#include "unicode/profile.hpp"

#include <cstdint>

namespace toktier::pretok {

struct Dialect {
  const unicode::RegexProfile* profile;
  /// `X{m,n}+`: possessive (fancy-regex), or `(?:X{m,n})+` (Oniguruma with Ruby syntax).
  bool possessive_interval;
  /// `X{n}?`: lazy, or `(?:X{n})?` (Oniguruma with Ruby syntax).
  bool lazy_fixed_interval;
  /// `X{,n}` means `X{0,n}`; a brace that starts no interval is a literal.
  bool open_interval;
  /// `$` and `^` also hold at a newline inside the text.
  bool dollar_at_newline;
  /// The letter of the "dot matches newline" flag: (?m) in Ruby, (?s) elsewhere.
  char dot_all_flag;
  /// `a(?i)b|c` means `a(?i:b|c)`.
  bool bare_flag_takes_alternatives;
  /// `\pL` without braces, `\p{gc=L}`.
  bool short_properties;
  /// A quantifier of alternatives one of which is an assertion alone is no pattern, unless the
  /// group captures or has options of its own.
  bool refuses_assertion_arms;
  /// (?i) also holds for `\p{..}` outside of brackets.
  bool folds_escapes;
};

/// Hugging Face tokenizers: Split, Replace and ByteLevel patterns.
Dialect onig_dialect();
/// tiktoken.
Dialect fancy_dialect();

}  // namespace toktier::pretok
