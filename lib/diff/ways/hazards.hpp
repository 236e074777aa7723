#pragma once
// Short texts that are hard for a tokenizer when they come and go in the middle of a text: digit
// runs, fractions, seams of ideographs and punctuation, marks that combine with what stands before
// them, white space, contractions, halves of its added tokens, and one character of each class of
// its pattern. Pure.

#include "toktier/tokenizer.hpp"

#include <string>
#include <vector>

namespace toktier::diff::ways {

/// Not empty; none of the texts is.
std::vector<std::string> hazards_of(const Tokenizer& tokenizer);

}  // namespace toktier::diff::ways
