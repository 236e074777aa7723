#pragma once
// Where two rows of ids part, and where that is in the text.

#include "encode/pipeline.hpp"
#include "toktier/drift.hpp"

#include <span>
#include <string_view>

namespace toktier::session {

/// All but `byte`.
Drift compare(std::span<const TokenId> given, std::span<const TokenId> expected);

/// Where token `token` of the text's encoding begins, `before` tokens standing before the
/// document's; the length of the text past the last.
std::size_t begin_in(const encode::Pipeline& pipeline, std::string_view text,
                     const added::SpecialFilter& filter, std::span<const Span> untrusted,
                     encode::EncodeScratch& scratch, std::size_t token, std::size_t before);

}  // namespace toktier::session
