#pragma once
// Character classes and escapes of split patterns: `[...]`, `\p{..}`, `\s`, `\x41`.

#include "pretok/pattern_cursor.hpp"
#include "pretok/regex_dialect.hpp"
#include "unicode/code_point_set.hpp"

#include <optional>

namespace toktier::pretok {

/// After `[`: reads to the matching `]`. Returns the members; `*negative`: the class is their
/// complement (case is folded in between).
unicode::CodePointSet parse_character_class(PatternCursor& in, const Dialect& dialect,
                                            bool* negative);

/// After a backslash: the set when the escape stands for one (`\s`, `\p{L}`), else nothing is read.
std::optional<unicode::CodePointSet> parse_class_escape(PatternCursor& in, const Dialect& dialect,
                                                        bool in_class);

/// After a backslash: one character. Refuses escapes it does not know.
char32_t parse_character_escape(PatternCursor& in, const Dialect& dialect, bool in_class);

}  // namespace toktier::pretok
