#pragma once
// Unigram: the segmentation with the best sum of scores (Viterbi), ties and arithmetic as the
// reference has them.
//
// Two references, two rules (`model::Reference`): tokenizers adds in double over each piece, fuses
// unknown runs and spreads byte fallback over the run; SentencePiece adds in float over the whole
// text with resets at +-100,000, prefers user-defined pieces by a bonus and splits unknown
// characters into byte pieces one by one. In both, of two paths with equal sums into one position
// the first found stays: starts are visited from left to right, pieces from short to long.

#include "bpe/byte_trie.hpp"
#include "bpe/model.hpp"
#include "bpe/piece_cache.hpp"

namespace toktier::bpe {

class UnigramModel final : public Model {
 public:
  explicit UnigramModel(const model::TokenizerSpec& spec);
  std::unique_ptr<Workspace> workspace(std::size_t cache_budget_bytes) const override;
  void encode(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends,
              Workspace& workspace, TokenSink& out) const override;
  /// A place is one between parts when no token lies across it: then every path goes through it,
  /// and all that a later choice sees of what stands before is the score there, which is carried
  /// over (sums are rounded, so it may matter).
  std::optional<std::size_t> parts_reach() const override { return longest_; }
  bool parts_at(std::string_view text, std::size_t at, Workspace& workspace) const override;
  bool carries() const override { return true; }
  std::string describe() const override;

 private:
  struct Node {
    double score = 0;
    std::uint32_t from = 0;
    TokenId id = 0;
    bool reached = false;
  };
  struct FloatNode {
    float score = 0;
    std::uint32_t from = 0;
    TokenId id = 0;
    bool reached = false;
  };
  struct Space;
  bool encode_tokenizers(std::string_view piece, Space& ws, TokenSink& out) const;
  void encode_sentencepiece(std::string_view piece, Space& ws, TokenSink& out) const;
  void reset_scores(Space& ws, std::size_t at, std::size_t frontier) const;
  void put_unknown_run(std::string_view run, TokenSink& out) const;
  TokenId need_unknown() const;

  const model::TokenizerSpec& spec_;
  const model::Unigram& unigram_;
  bool sentencepiece_;
  ByteTrie trie_;
  double unk_score_ = 0;
  TokenId unk_ = model::kNoToken;
  std::vector<float> float_score_;  // SentencePiece: by id, user-defined bonus not included
  TokenId byte_token_[256];
  bool all_bytes_ = true;
  std::size_t longest_ = 4;  // bytes of the longest token, at least of a character
};

}  // namespace toktier::bpe
