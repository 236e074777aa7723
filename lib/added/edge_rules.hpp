#pragma once
// What may stand beside a literal: the white-space and word characters of the reference's own regex
// classes. Pure functions on bytes; ill-formed bytes are neither white space nor word characters.

#include "unicode/code_point_set.hpp"

#include <cstddef>
#include <string_view>

namespace toktier::added {

/// The classes `\s` and `\w` of the regex library that the reference uses for added tokens. The
/// sets live for the whole process.
struct EdgeClasses {
  const unicode::CodePointSet* space = nullptr;
  const unicode::CodePointSet* word = nullptr;
};

/// The classes of the pinned Hugging Face engine.
EdgeClasses reference_edge_classes();

/// The character that begins at `at` / ends at `end` is in `set`. False at the edge of the text.
bool char_at_in(std::string_view text, std::size_t at, const unicode::CodePointSet& set);
bool char_before_in(std::string_view text, std::size_t end, const unicode::CodePointSet& set);

/// End of the run of characters of `set` that begins at `at`.
std::size_t run_end(std::string_view text, std::size_t at, const unicode::CodePointSet& set);
/// Begin of the run of characters of `set` that ends at `end`, not looking before `floor`.
std::size_t run_begin(std::string_view text, std::size_t end, std::size_t floor,
                      const unicode::CodePointSet& set);

}  // namespace toktier::added
