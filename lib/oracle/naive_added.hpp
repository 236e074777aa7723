#pragma once
// The slow twin of the added-token search: at every position every token is tried. Private to
// lib/oracle.

#include "model/spec.hpp"
#include "toktier/tokenizer.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::oracle {

/// A stretch of a text: an added token, or text for the next stage.
struct NaiveStretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_token = false;
  TokenId id = 0;
};

/// Immutable after construction.
class NaiveAdded {
 public:
  /// `normalize` is the tokenizer's normalizer on one content. Throws Error{unsupported} when it
  /// leaves nothing of a token.
  NaiveAdded(const model::TokenizerSpec& spec,
             const std::function<std::string(const std::string&)>& normalize);

  /// The first pass (contents as they are, on the document) or the second (normalized contents, on
  /// normalized text). Throws Error{unsupported} where the reference fails or is random.
  std::vector<NaiveStretch> split(std::string_view text, bool normalized_pass, SpecialMode mode,
                                  const std::vector<std::string>& list) const;

 private:
  struct Token {
    TokenId id = 0;
    std::string content;
    std::string pattern;
    bool normalized = false;
    bool special = false;
    bool lstrip = false;
    bool rstrip = false;
    bool single_word = false;
  };
  std::vector<const Token*> longest_at(std::string_view text, std::size_t at, bool pass) const;
  std::vector<NaiveStretch> split_rank_file(std::string_view text, SpecialMode mode,
                                            const std::vector<std::string>& list) const;

  model::Reference reference_;
  std::vector<Token> tokens_;
};

}  // namespace toktier::oracle
