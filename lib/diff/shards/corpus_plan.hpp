#pragma once
// Corpus files cut into portions: each file is read once, as the shards will read it, and cut
// between records. Memory: what reading takes, and the plan itself.

#include "diff/shards/plan.hpp"

#include <functional>
#include <string>

namespace toktier::diff::shards {

/// Adds `input` (a file, folder or pattern) to the plan: its files, one source, its portions of
/// about `portion_weight` each. Small files share a portion. Of zstd files a portion is decoded
/// from the last frame that begins before it, so files of many frames are read in parts and others
/// from their start each time. `form` is auto, text, lines or jsonl. `on_file` is called before
/// each file. Error{input} for what cannot be opened, Error{usage} for standard input; damage
/// inside a file is no error here: whoever runs the portion meets and counts it.
void add_corpus(Plan& plan, const std::string& input, const std::string& form,
                std::uint64_t portion_weight,
                const std::function<void(const std::string&)>& on_file);

}  // namespace toktier::diff::shards
