#pragma once
// The slow twin of the whole encode pipeline: the answer to a text found in the plainest way.
//
//   document -> added tokens (every position, every token) -> normalizer -> added tokens again ->
//   pre-tokenizer steps (plain loops; regexes by Boost over the original pattern) -> textbook
//   merge loop, longest-match loop, or plain dynamic programming -> ids and spans
//
// Source: the reference engines' own rules (tokenizers 0.23.3, tiktoken 0.14.0, sentencepiece
// 0.2.3), followed step by step, with no cache, no automaton, no cut and no table but maps of
// strings. It is exact because there is nothing in it but those rules. It shares no algorithm with
// the fast path: only the loaders, UTF-8 decoding, the probed character tables, and lib/normalize,
// whose own twin is the external reference engine. Nothing after the model is done here: no
// post-processor (so spans are not trimmed), no truncation, no padding.
//
// Not thread-safe: one object a thread (the regex oracle is not).

#include "model/spec.hpp"
#include "toktier/tokenizer.hpp"
#include "toktier/types.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::oracle {

struct NaiveOptions {
  SpecialMode special = SpecialMode::file_default;
  std::vector<std::string> special_list;  ///< contents, for SpecialMode::list
};

/// One encoded document, before post-processing.
struct NaiveAnswer {
  std::vector<TokenId> ids;
  std::vector<Span> spans;         ///< one per id; bytes of the document
  std::vector<std::string> texts;  ///< one per id; the token as the reference holds it
  std::vector<Span> pieces;        ///< pre-tokens and added tokens, bytes of the document
};

class NaiveTokenizer {
 public:
  /// Throws Error{unsupported} naming what is not covered, Error{input} for damaged data.
  static NaiveTokenizer compile(const model::TokenizerSpec& spec);
  NaiveTokenizer(NaiveTokenizer&&) noexcept;
  NaiveTokenizer& operator=(NaiveTokenizer&&) noexcept;
  ~NaiveTokenizer();

  /// Throws Error{input} for text that is not UTF-8 and where the reference refuses the text,
  /// Error{unsupported} where the reference itself dies or is random, and NotCovered
  /// (oracle/naive_text.hpp, an Error{unsupported}) where only this twin cannot answer: a piece of
  /// more than 20,000 bytes, a regex match that grew too complex. Never a guessed answer.
  NaiveAnswer encode(std::string_view text, const NaiveOptions& options = {}) const;

 private:
  struct Impl;
  explicit NaiveTokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::oracle
