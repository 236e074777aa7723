#pragma once
// Decompositions, combining classes and compositions as the Hugging Face engine holds them (its
// tables are older than its regex engine's). Probed by scripts/unicode/rust_tables.py. Pure
// functions, safe from any thread.

#include "unicode/code_point_map.hpp"

#include <cstdint>
#include <string_view>

namespace toktier::unicode {

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };

/// Hangul syllables are not in the tables; they decompose by arithmetic.
struct HangulParts {
  char32_t parts[3];
  std::uint32_t count;  // 2 or 3; 0: `c` is no Hangul syllable
};
HangulParts decompose_hangul(char32_t c);

/// Full decomposition (canonical, or compatible when `compatible`); empty when the character is its
/// own. Hangul syllables give an empty view: use decompose_hangul.
std::u32string_view decomposition(char32_t c, bool compatible);

/// Canonical combining class, or a number of the same order.
std::uint8_t combining_class(char32_t c);

/// The composition of two characters, Hangul included; 0 when there is none.
char32_t compose(char32_t first, char32_t second);

/// True when `c` stands for itself under `form` whatever stands before it, and what stands before
/// it is not affected by it. A text can be normalized independently left and right of such a
/// character's beginning. For nfd and nfkd also: whatever stands behind it. ASCII is inert under
/// all forms.
bool inert(char32_t c, NormalForm form);

/// The same for loops: bit 1 << form is set for every character that is NOT inert under it.
const CodePointMap& active_forms();
constexpr std::uint8_t form_bit(NormalForm form) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(form));
}

}  // namespace toktier::unicode
