#pragma once
// Extended grapheme clusters (Unicode annex 29) with the reference engine's classes, as far as
// clusters of less than 6 bytes can show them.

#include <cstddef>
#include <string_view>

namespace toktier::normalize {

/// End of the cluster that begins at byte `begin` (< text.size(), a cluster boundary) of
/// well-formed text.
std::size_t grapheme_end(std::string_view text, std::size_t begin);

}  // namespace toktier::normalize
