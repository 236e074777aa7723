#pragma once
// Shapes of the generated tables of the Rust functions inside Hugging Face tokenizers. Private to
// lib/unicode.

#include "unicode/code_point_set.hpp"

#include <cstddef>
#include <cstdint>

namespace toktier::unicode::tables {

struct Mapping {
  char32_t from;
  std::uint16_t begin;  // index into the characters
  std::uint16_t count;
};
struct ScriptRun {
  char32_t first;
  char32_t last;
  std::uint8_t id;
};
struct ClassRow {
  char32_t code_point;
  std::uint8_t combining_class;
};
struct Composition {
  char32_t first;
  char32_t second;
  char32_t composed;
};

extern const CodePointRange kWhiteSpace[], kStripWhiteSpace[], kNumeric[], kPunctuation[],
    kBertPunctuation[], kBertWhiteSpace[], kRegexSpace[], kRegexWord[], kBertCleaned[],
    kBertToSpace[], kBertChinese[], kMarkNonspacing[], kCombiningMark[], kNmtRemoved[],
    kNmtToSpace[];
extern const std::size_t kWhiteSpaceSize, kStripWhiteSpaceSize, kNumericSize, kPunctuationSize,
    kBertPunctuationSize, kBertWhiteSpaceSize, kRegexSpaceSize, kRegexWordSize, kBertCleanedSize,
    kBertToSpaceSize, kBertChineseSize, kMarkNonspacingSize, kCombiningMarkSize, kNmtRemovedSize,
    kNmtToSpaceSize;

extern const Mapping kLowerRows[], kCanonicalRows[], kCompatibleRows[];  // sorted by `from`
extern const std::size_t kLowerCount, kCanonicalCount, kCompatibleCount;
extern const char32_t kLowerChars[], kCanonicalChars[], kCompatibleChars[];

extern const ScriptRun kScriptRuns[], kGraphemeRuns[];  // sorted
extern const std::size_t kScriptRunCount, kGraphemeRunCount;

extern const ClassRow kCombiningClasses[];  // sorted
extern const std::size_t kCombiningClassCount;
extern const Composition kCompositions[];  // sorted by first, then second
extern const std::size_t kCompositionCount;

}  // namespace toktier::unicode::tables
