#pragma once
// Parser of split patterns. Pure; errors are Error{unsupported} (a construct we do not have, named,
// with its byte offset in the pattern) or Error{input} (not a pattern at all). Limits on length,
// depth and size refuse hostile patterns; recursion is bounded by kMaxPatternDepth.

#include "pretok/regex_ast.hpp"
#include "pretok/regex_dialect.hpp"

#include <cstddef>
#include <string_view>

namespace toktier::pretok {

inline constexpr std::size_t kMaxPatternBytes = 64 * 1024;
inline constexpr int kMaxPatternDepth = 120;
inline constexpr std::uint32_t kMaxRepeat = 1000;

/// `pattern` is UTF-8.
Ast parse_regex(std::string_view pattern, const Dialect& dialect);

}  // namespace toktier::pretok
