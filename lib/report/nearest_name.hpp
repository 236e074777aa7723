#pragma once
// "Did you mean ...?" for misspelt names. Pure functions.

#include <span>
#include <string>
#include <string_view>

namespace toktier::report {

/// Number of single-character edits (insert, remove, replace, swap of neighbours) from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name closest to `name`, when it is close enough to be meant; else empty.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// "unknown WHAT 'name'; did you mean 'x'? (known: a, b, c)"
std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string> known);

}  // namespace toktier::report
