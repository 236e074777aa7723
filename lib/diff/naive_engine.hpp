#pragma once
// The slow twin of the encode pipeline (oracle/naive_tokenizer.hpp) as an engine. What comes after
// the model (trimming of spans, truncation, added tokens) it takes from lib/post, whose own check
// is against the running reference; everything before is its own. It does not decode.

#include "diff/engine.hpp"
#include "model/spec.hpp"

#include <memory>
#include <string>

namespace toktier::diff {

/// Loads the file anew; nothing is shared with a Tokenizer of the same file. Throws what the loader
/// throws, and Error{unsupported} for a tokenizer the twin does not cover.
std::unique_ptr<Engine> make_naive_engine(const std::string& model);
std::unique_ptr<Engine> make_naive_engine(const model::TokenizerSpec& spec);

}  // namespace toktier::diff
