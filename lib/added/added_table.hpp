#pragma once
// The added tokens of a tokenizer by id, with the texts that the reference searches for and decodes
// to.
//
// The ids are those of TokenizerSpec, which the loaders resolve as the reference does (tokenizers
// 0.23.3 ignores the "id" of the file). A later entry replaces an earlier one of the same id. What
// that engine decodes to, and compares with its set of special tokens, is the NORMALIZED content
// where the normalizer changes it. Immutable after build().

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
  std::string content;   // as in the file
  std::string pattern;   // what is searched for: normalized where `normalized`
  std::string text;      // what decoding yields
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
