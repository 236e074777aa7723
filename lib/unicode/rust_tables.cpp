#include "unicode/rust_tables.hpp"

#include "unicode/code_point_map.hpp"
#include "unicode/tables/rust.hpp"

#include <algorithm>
#include <span>

namespace toktier::unicode::rust {
namespace {

CodePointMap map_of(std::span<const tables::ScriptRun> runs) {
  std::vector<std::uint8_t> values(std::size_t{kMaxCodePoint} + 1, 0);
  for (const tables::ScriptRun& run : runs) {
    std::fill(values.begin() + run.first, values.begin() + run.last + 1, run.id);
  }
  return CodePointMap(values);
}

}  // namespace

// Each set is built once, on first use, from constant data; afterwards only read.
#define TOKTIER_RUST_SET(function, table)                                         \
  const CodePointSet& function() {                                                \
    static const CodePointSet set(std::span(tables::table, tables::table##Size)); \
    return set;                                                                   \
  }
TOKTIER_RUST_SET(white_space, kWhiteSpace)
TOKTIER_RUST_SET(numeric, kNumeric)
TOKTIER_RUST_SET(punctuation, kPunctuation)
TOKTIER_RUST_SET(bert_punctuation, kBertPunctuation)
TOKTIER_RUST_SET(bert_white_space, kBertWhiteSpace)
TOKTIER_RUST_SET(regex_space, kRegexSpace)
TOKTIER_RUST_SET(regex_word, kRegexWord)
TOKTIER_RUST_SET(bert_cleaned, kBertCleaned)
TOKTIER_RUST_SET(bert_to_space, kBertToSpace)
TOKTIER_RUST_SET(bert_chinese, kBertChinese)
TOKTIER_RUST_SET(mark_nonspacing, kMarkNonspacing)
TOKTIER_RUST_SET(combining_mark, kCombiningMark)
TOKTIER_RUST_SET(nmt_removed, kNmtRemoved)
TOKTIER_RUST_SET(nmt_to_space, kNmtToSpace)
#undef TOKTIER_RUST_SET

std::u32string_view lower(char32_t c) {
  const tables::Mapping* const end = tables::kLowerRows + tables::kLowerCount;
  const tables::Mapping* const row =
      std::lower_bound(tables::kLowerRows, end, c,
                       [](const tables::Mapping& m, char32_t value) { return m.from < value; });
  if (row == end || row->from != c) return {};
  return {tables::kLowerChars + row->begin, row->count};
}

const CodePointSet& has_lower() {
  static const CodePointSet set = [] {
    std::vector<CodePointRange> ranges;
    for (std::size_t i = 0; i < tables::kLowerCount; ++i) {
      ranges.push_back({tables::kLowerRows[i].from, tables::kLowerRows[i].from});
    }
    return CodePointSet(ranges);
  }();
  return set;
}

std::uint8_t script(char32_t c) {
  static const CodePointMap map = map_of(std::span(tables::kScriptRuns, tables::kScriptRunCount));
  return map[c];
}

GraphemeClass grapheme_class(char32_t c) {
  static const CodePointMap map =
      map_of(std::span(tables::kGraphemeRuns, tables::kGraphemeRunCount));
  return static_cast<GraphemeClass>(map[c]);
}

}  // namespace toktier::unicode::rust
