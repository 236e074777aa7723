#include "unicode/normalization_data.hpp"

#include "unicode/code_point_map.hpp"
#include "unicode/tables/rust.hpp"

#include <algorithm>

namespace toktier::unicode {
namespace {

// Conjoining jamo arithmetic of the Unicode standard, section 3.12.
constexpr char32_t kSyllables = 0xAC00;
constexpr char32_t kLeads = 0x1100;
constexpr char32_t kVowels = 0x1161;
constexpr char32_t kTails = 0x11A7;  // one before the first tail
constexpr char32_t kLeadCount = 19;
constexpr char32_t kVowelCount = 21;
constexpr char32_t kTailCount = 28;
constexpr char32_t kSyllableCount = kLeadCount * kVowelCount * kTailCount;

std::u32string_view find(const tables::Mapping* rows, std::size_t count, const char32_t* chars,
                         char32_t c) {
  const tables::Mapping* const end = rows + count;
  const tables::Mapping* const row = std::lower_bound(
      rows, end, c, [](const tables::Mapping& m, char32_t value) { return m.from < value; });
  if (row == end || row->from != c) return {};
  return {chars + row->begin, row->count};
}

bool is_second(char32_t c) {
  if (c >= kVowels && c < kVowels + kVowelCount) return true;
  if (c > kTails && c < kTails + kTailCount) return true;
  const tables::Composition* const rows = tables::kCompositions;
  return std::any_of(rows, rows + tables::kCompositionCount,
                     [c](const tables::Composition& row) { return row.second == c; });
}

std::vector<std::uint8_t> class_values() {
  std::vector<std::uint8_t> values(std::size_t{kMaxCodePoint} + 1, 0);
  for (std::size_t i = 0; i < tables::kCombiningClassCount; ++i) {
    values[tables::kCombiningClasses[i].code_point] = tables::kCombiningClasses[i].combining_class;
  }
  return values;
}

constexpr std::uint8_t kDecomposing =
    static_cast<std::uint8_t>(form_bit(NormalForm::nfd) | form_bit(NormalForm::nfkd));
constexpr std::uint8_t kComposing =
    static_cast<std::uint8_t>(form_bit(NormalForm::nfc) | form_bit(NormalForm::nfkc));

/// Whether a starter's canonical decomposition composes back to it, so that it stands for itself
/// under NFC.
bool recomposes(char32_t c, std::u32string_view parts) {
  char32_t composed = parts[0];
  for (const char32_t part : parts.substr(1)) {
    composed = compose(composed, part);
    if (composed == 0) return false;
  }
  return composed == c;
}

/// One bit per form for every character that is NOT inert under it.
CodePointMap active_map() {
  std::vector<std::uint8_t> active(std::size_t{kMaxCodePoint} + 1, 0);
  const auto mark = [&active](char32_t c, std::uint8_t flags) {
    active[c] = static_cast<std::uint8_t>(active[c] | flags);
  };
  for (std::size_t i = 0; i < tables::kCombiningClassCount; ++i) {
    mark(tables::kCombiningClasses[i].code_point, kDecomposing | kComposing);
  }
  for (std::size_t i = 0; i < tables::kCompositionCount; ++i)
    mark(tables::kCompositions[i].second, kComposing);
  for (char32_t c = kVowels; c < kVowels + kVowelCount; ++c) mark(c, kComposing);
  for (char32_t c = kTails + 1; c < kTails + kTailCount; ++c) mark(c, kComposing);
  for (char32_t c = kSyllables; c < kSyllables + kSyllableCount; ++c) mark(c, kDecomposing);
  for (std::size_t i = 0; i < tables::kCanonicalCount; ++i) {
    const char32_t c = tables::kCanonicalRows[i].from;
    mark(c, kDecomposing);
    const std::u32string_view parts = decomposition(c, false);
    if (combining_class(parts[0]) != 0 || is_second(parts[0]) || !recomposes(c, parts))
      mark(c, kComposing);
  }
  for (std::size_t i = 0; i < tables::kCompatibleCount; ++i) {
    mark(tables::kCompatibleRows[i].from,
         static_cast<std::uint8_t>(form_bit(NormalForm::nfkd) | form_bit(NormalForm::nfkc)));
  }
  return CodePointMap(active);
}

}  // namespace

HangulParts decompose_hangul(char32_t c) {
  if (c < kSyllables || c >= kSyllables + kSyllableCount) return {{0, 0, 0}, 0};
  const char32_t index = c - kSyllables;
  const char32_t tail = index % kTailCount;
  return {{kLeads + index / (kVowelCount * kTailCount),
           kVowels + index % (kVowelCount * kTailCount) / kTailCount, kTails + tail},
          tail == 0 ? 2U : 3U};
}

std::u32string_view decomposition(char32_t c, bool compatible) {
  if (compatible) {
    const std::u32string_view found =
        find(tables::kCompatibleRows, tables::kCompatibleCount, tables::kCompatibleChars, c);
    if (!found.empty()) return found;
  }
  return find(tables::kCanonicalRows, tables::kCanonicalCount, tables::kCanonicalChars, c);
}

std::uint8_t combining_class(char32_t c) {
  // Built once, on first use; afterwards only read.
  static const CodePointMap map(class_values());
  return map[c];
}

char32_t compose(char32_t first, char32_t second) {
  if (second >= kVowels && second < kTails + kTailCount) {
    if (first >= kLeads && first < kLeads + kLeadCount && second < kVowels + kVowelCount) {
      return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTailCount;
    }
    if (first >= kSyllables && first < kSyllables + kSyllableCount && second > kTails &&
        (first - kSyllables) % kTailCount == 0) {
      return first + (second - kTails);
    }
    return 0;
  }
  const tables::Composition* const end = tables::kCompositions + tables::kCompositionCount;
  const tables::Composition* const row =
      std::lower_bound(tables::kCompositions, end, std::pair(first, second),
                       [](const tables::Composition& r, const std::pair<char32_t, char32_t>& key) {
                         return std::pair(r.first, r.second) < key;
                       });
  return row != end && row->first == first && row->second == second ? row->composed : 0;
}

const CodePointMap& active_forms() {
  // Built once, on first use; afterwards only read.
  static const CodePointMap active = active_map();
  return active;
}

bool inert(char32_t c, NormalForm form) { return (active_forms()[c] & form_bit(form)) == 0; }

}  // namespace toktier::unicode
