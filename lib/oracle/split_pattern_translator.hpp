#pragma once
// Rewrites a split pattern into what Boost.Regex (Perl syntax) reads the same way.
//
// Boost lacks \p{..} inside sets (it has [:name:] there), set intersections, and "$" as the end of
// the text. Every other construct is passed on as it is; what would be read differently is refused
// by name.

#include "model/spec.hpp"

#include <string>
#include <string_view>

namespace toktier::oracle {

/// Throws Error{unsupported}.
std::u32string translate_split_pattern(std::string_view pattern, model::Reference reference);

}  // namespace toktier::oracle
