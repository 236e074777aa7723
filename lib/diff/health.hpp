#pragma once
// Is a vocabulary sound: what its entries become when they are encoded alone. Findings are no
// faults of the library: every tokenizer has some, and the reference has the same.

#include "toktier/tokenizer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::diff {

struct Health {
  std::uint64_t entries = 0;
  std::uint64_t themselves = 0;  // the entry's text alone is the entry's id
  std::uint64_t others = 0;      // ... is other ids: it comes up inside longer texts only, or never
  std::uint64_t partial = 0;     // the entry is no whole characters: it has no text of its own
  std::uint64_t refused = 0;     // its text cannot be encoded
  std::uint64_t empty = 0;       // it decodes to nothing
  std::uint64_t shared = 0;      // its text is that of an earlier entry, too
  std::vector<std::string> examples;  // of `others`, the first few: "id 12 "ab" -> 3 4"
};

/// Encodes without control tokens recognised and without the post-processor; added tokens are
/// entries too. `most_examples` of them are described.
Health health_of(const Tokenizer& tokenizer, std::size_t most_examples);

}  // namespace toktier::diff
