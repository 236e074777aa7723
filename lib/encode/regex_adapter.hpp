#pragma once
// Lends the pattern engine of the pre-tokenizers to the Replace normalizer and decoder, which stand
// below it.

#include "normalize/regex_finder.hpp"

namespace toktier::encode {

/// Finders in the Hugging Face dialect.
normalize::RegexFactory onig_regex_factory();

}  // namespace toktier::encode
