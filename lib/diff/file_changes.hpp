#pragma once
// What is different in two tokenizer files, as loaded: not their bytes, but what they say. A file
// written anew by another program (order of keys, white space, merges as strings or pairs) has no
// changes. Pure.

#include "model/spec.hpp"
#include "toktier/tokenizer.hpp"

#include <string>
#include <vector>

namespace toktier::diff {

struct FileChange {
  std::string what;  // "vocabulary", "merges", "added token \"<x>\"", or a row of `inspect`
  std::string before, after;
};

/// Of specs as loaded and what `inspect` says of them. In a fixed order; vocabulary entries and
/// merges are counted, with the first few named.
std::vector<FileChange> file_changes(const model::TokenizerSpec& before,
                                     const TokenizerInfo& before_info,
                                     const model::TokenizerSpec& after,
                                     const TokenizerInfo& after_info);

}  // namespace toktier::diff
