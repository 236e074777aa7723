#pragma once
// The added tokens of a tokenizer with the ids and texts the reference really gives them.
//
// The reference (tokenizers 0.23.3) ignores the "id" of the file: a token whose content is already
// known keeps that id, any other gets the next free number after the model's vocabulary, in the
// file's order. A later entry may replace an earlier one of the same id. What decode() yields and
// compares is the NORMALIZED content where the normalizer changes it. For rank files and .model
// files the ids of the file stand. Immutable after build().

#include "model/spec.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace toktier::added {

/// Content of a token -> the same content after the tokenizer's normalizer. May be empty (no
/// normalizer).
using NormalizeFunction = std::function<std::string(std::string_view)>;

struct Entry {
  TokenId id = 0;
  std::string content;  // as in the file
  std::string
      text;  // what is searched for, and what decoding yields: normalized where `normalized`
  bool special = false;  // the content is in the reference's set of special tokens
  bool lstrip = false;
  bool rstrip = false;
  bool single_word = false;
  bool normalized = false;
  std::size_t file_index = 0;  // in TokenizerSpec::added_tokens
};

class AddedTable {
 public:
  static AddedTable build(const model::TokenizerSpec& spec, const NormalizeFunction& normalize);

  /// By ascending id; one entry an id.
  const std::vector<Entry>& entries() const { return entries_; }
  /// nullptr when `id` is not an added token.
  const Entry* find(TokenId id) const;
  /// The id that the reference gives to a content, also one replaced by a later entry; kNoToken
  /// when unknown.
  TokenId id_of(std::string_view content) const;
  /// The text is in the reference's set of special tokens. Decoding compares token TEXTS with it,
  /// not ids.
  bool is_special_text(std::string_view text) const;

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, TokenId> by_content_;
  std::unordered_set<std::string> special_;
};

}  // namespace toktier::added
