#pragma once
// The documents that all contestants encode, in memory.

#include "io/inputs.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::bench {

struct TextSet {
  std::string name;  // of the input, or how many there are
  std::vector<std::string> ids, texts;
  std::uint64_t bytes = 0;
  std::string sha256;  // of all texts joined
};

/// Documents in order until there are `max_bytes` (0: all). Error{input} for what cannot be read,
/// for no document at all, and for a text that is not UTF-8 (peers take text).
TextSet read_text_set(const std::vector<std::string>& files, const io::InputOptions& options,
                      std::uint64_t max_bytes);

/// The texts of a run: all inputs one text, or with `each` a text for every input. What folders
/// hold beside files is told on standard error unless `quiet`.
std::vector<TextSet> read_text_sets(const io::InputOptions& options, std::uint64_t max_bytes,
                                    bool each, bool quiet);

/// At most `max_bytes` of the beginning of the joined texts, whole characters.
std::string beginning(const TextSet& set, std::uint64_t max_bytes);

}  // namespace toktier::bench
