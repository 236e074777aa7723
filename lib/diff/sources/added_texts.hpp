#pragma once
// The added tokens of a file as texts to make documents of. Pure.

#include "toktier/tokenizer.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace toktier::diff::sources {

/// Each added token whole, both its halves (at a character), and in the other case where it has
/// letters; of at most `most` tokens, spread over all. None is empty.
std::vector<std::string> added_texts(const Tokenizer& tokenizer, std::size_t most);

}  // namespace toktier::diff::sources
