#pragma once
// Proves that ids are the encoding of their text without merging anything, where tokens are byte
// strings that tile the text: literals and pieces are cut from the text as an encoder cuts it, and
// the model says of each piece whether the tokens are its encoding (bpe::Model::is_encoding()).
//
// Exact in what it says: true means that Pipeline::run() on the text gives these ids. False may
// also mean that it cannot tell (a token that takes white space with it, for one).

#include "encode/pipeline.hpp"

#include <span>
#include <string_view>

namespace toktier::session {

/// The tokenizer is one of these; else proves_canonical() is always false.
bool can_prove_canonical(const encode::Pipeline& pipeline);

/// `text` is the text of `ids`, well-formed.
bool proves_canonical(const encode::Pipeline& pipeline, std::span<const TokenId> ids,
                      std::string_view text, const added::SpecialFilter& filter,
                      encode::EncodeScratch& scratch);

}  // namespace toktier::session
