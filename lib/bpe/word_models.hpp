#pragma once
// WordPiece (greedy longest match) and WordLevel (whole words): both look words up and nothing
// else.

#include "bpe/byte_trie.hpp"
#include "bpe/model.hpp"
#include "bpe/piece_cache.hpp"

namespace toktier::bpe {

class WordPieceModel final : public Model {
 public:
  explicit WordPieceModel(const model::TokenizerSpec& spec);
  std::unique_ptr<Workspace> workspace(std::size_t cache_budget_bytes) const override;
  void encode(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends,
              Workspace& workspace, TokenSink& out) const override;
  std::string describe() const override;

 private:
  struct Space;
  void encode_word(std::string_view word, TokenSink& out) const;
  const model::TokenizerSpec& spec_;
  const model::WordPiece& word_piece_;
  TokenId unk_;
  ByteTrie trie_;
  std::uint32_t continuing_ = ByteTrie::kRoot;  // behind the prefix of what continues a word
};

class WordLevelModel final : public Model {
 public:
  explicit WordLevelModel(const model::TokenizerSpec& spec);
  std::unique_ptr<Workspace> workspace(std::size_t cache_budget_bytes) const override;
  void encode(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends,
              Workspace& workspace, TokenSink& out) const override;
  std::string describe() const override;

 private:
  const model::TokenizerSpec& spec_;
  TokenId unk_;
};

}  // namespace toktier::bpe
