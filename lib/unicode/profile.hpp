#pragma once
// What a reference engine believes about code points. Nothing is taken from ICU or a Unicode
// download: every table is probed out of the engine itself over all 1,114,112 code points
// (scripts/unicode/) and committed. A profile is immutable and lives for the whole process.

#include "unicode/code_point_set.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace toktier::unicode {

struct MultiFold;  // unicode/tables/tables.hpp

/// The regex dialect and data of one engine.
struct RegexProfile {
  std::string_view name;             // "onig/tokenizers-0.23.3", "fancy-regex/tiktoken-0.14.0"
  std::string_view unicode_version;  // as far as the probe can tell: "16.0.0"

  /// General category ("L", "Lu", "M", ...), long names too ("Letter"); nullptr when the engine
  /// knows no such name.
  const CodePointSet* category(std::string_view property_name) const;
  /// Script ("Han", "Latin", ...); nullptr when unknown.
  const CodePointSet* script(std::string_view property_name) const;
  /// Any other binary property the probe covers ("Alphabetic", "Emoji", ...); nullptr when unknown.
  /// POSIX brackets are under "[:alpha:]", blocks under "In_Basic_Latin", script extensions under
  /// "scx=Han".
  const CodePointSet* binary(std::string_view property_name) const;
  const CodePointSet& space() const;      // \s
  const CodePointSet& word() const;       // \w
  const CodePointSet& digit() const;      // \d
  const CodePointSet& hex_digit() const;  // \h
  /// Every code point that matches some member of `set` under (?i), `set` included (multi-character
  /// folds such as "ss" for U+00DF are not part of a set; the parser handles or refuses them).
  CodePointSet fold_closure(const CodePointSet& set) const;
  /// Code points that under (?i) also match a longer string; empty when the engine does none of
  /// that.
  std::span<const MultiFold> multi_folds() const;

  const struct RegexTables* tables = nullptr;
};

const RegexProfile& onig_profile();  // Hugging Face tokenizers: Split, ByteLevel, Replace patterns
const RegexProfile& tiktoken_profile();  // tiktoken patterns

}  // namespace toktier::unicode
