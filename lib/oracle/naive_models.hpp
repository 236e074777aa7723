#pragma once
// The slow twins of the models: textbook loops on strings, lookups in plain maps, no cache.
// Private to lib/oracle.

#include "model/spec.hpp"
#include "oracle/naive_text.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace toktier::oracle {

struct NaiveToken {
  TokenId id = 0;
  Span span;         ///< bytes of the document
  std::string text;  ///< as the reference holds it
};

/// Immutable after construction.
class NaiveModel {
 public:
  virtual ~NaiveModel() = default;
  /// Appends the tokens of one piece (not empty). Throws Error{input} where the reference refuses
  /// the text, NotCovered where it is too long for the loops here.
  virtual void encode(const NaiveText& piece, std::vector<NaiveToken>& out) const = 0;
};

std::unique_ptr<NaiveModel> make_naive_model(const model::TokenizerSpec& spec);

/// Longest piece the quadratic loops are asked for, in bytes.
inline constexpr std::size_t kLongestNaivePiece = 20000;

/// Token ids by text; of equal texts the larger id is the one found where `spec` holds two.
using NaiveIds = std::unordered_map<std::string, TokenId>;
NaiveIds naive_ids(const model::TokenizerSpec& spec);

/// "<0x0A>"
std::string byte_piece(unsigned char byte);

std::unique_ptr<NaiveModel> make_naive_list_bpe(const model::TokenizerSpec& spec);
std::unique_ptr<NaiveModel> make_naive_rank_bpe(const model::TokenizerSpec& spec);
std::unique_ptr<NaiveModel> make_naive_sentencepiece_bpe(const model::TokenizerSpec& spec);
std::unique_ptr<NaiveModel> make_naive_sentencepiece_unigram(const model::TokenizerSpec& spec);
std::unique_ptr<NaiveModel> make_naive_unigram(const model::TokenizerSpec& spec);
std::unique_ptr<NaiveModel> make_naive_wordpiece(const model::TokenizerSpec& spec);
std::unique_ptr<NaiveModel> make_naive_wordlevel(const model::TokenizerSpec& spec);

}  // namespace toktier::oracle
