#pragma once
// Shapes of the generated tables (scripts/unicode/generate.py writes their contents). Private to
// lib/unicode.

#include "unicode/code_point_set.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace toktier::unicode {

/// One code point that a case-blind pattern lets stand for several: (?i) on `code_point` also
/// matches any text that folds to `folded` (unused places are 0).
struct MultiFold {
  char32_t code_point;
  char32_t folded[3];
};

/// (?i) on `pattern` also matches `text`.
struct FoldPair {
  char32_t pattern;
  char32_t text;
};

struct NamedSet {
  std::string_view name;  // lower case, without blanks, '-' and '_'
  std::uint16_t set;      // index for tables::set
};

struct RegexTables {
  std::span<const NamedSet> categories;  // each list sorted by name
  std::span<const NamedSet> scripts;
  std::span<const NamedSet> binaries;
  std::span<const FoldPair> folds;  // sorted
  std::span<const MultiFold> multi_folds;
  std::uint16_t space;
  std::uint16_t word;
  std::uint16_t digit;
  std::uint16_t hex_digit;
};

namespace tables {

extern const std::uint32_t kSteps[];      // per range: gap since the last range, length - 1
extern const std::uint32_t kSetBegins[];  // kSetCount + 1 indexes into kSteps
extern const std::size_t kSetCount;
extern const RegexTables kOnig;
extern const RegexTables kTiktoken;

/// Set number `index` of the pool; lives for the whole process.
const CodePointSet& set(std::size_t index);

}  // namespace tables
}  // namespace toktier::unicode
