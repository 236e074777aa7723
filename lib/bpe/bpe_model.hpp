#pragma once
// Byte-pair encoding for every kind of file: merge lists, rank files and SentencePiece scores, over
// bytes or characters.
//
// Order of work for a piece: (1) one byte: a direct table; (2) the piece cache; (3) the whole-piece
// lookup where the family has it (ignore_merges, rank files); (4) exact cuts, each segment through
// the cache; (5) the merger. Every answer is a function of the piece's bytes.

#include "bpe/cut_table.hpp"
#include "bpe/merger.hpp"
#include "bpe/model.hpp"
#include "bpe/pair_table.hpp"
#include "bpe/piece_cache.hpp"
#include "bpe/symbol_set.hpp"

#include <array>
#include <string>

namespace toktier::bpe {

struct BpeWorkspace final : Workspace {
  explicit BpeWorkspace(std::size_t budget) : cache(budget) {}
  std::size_t cache_bytes() const override { return cache.bytes(); }
  PieceCache cache;
  CutMemo memo;
  MergeScratch merge;
  std::vector<Symbol> symbols;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> symbol_ends;  // bytes covered up to and including each initial symbol
  std::string text;               // a piece or character with affixes, in the file's alphabet
  bool last_was_unknown = false;  // SentencePiece fuses neighbouring unknown pieces
};

class BpeModel final : public Model {
 public:
  BpeModel(const model::TokenizerSpec& spec, bool byte_level);
  std::unique_ptr<Workspace> workspace(std::size_t cache_budget_bytes) const override;
  void encode(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends,
              Workspace& workspace, TokenSink& out) const override;
  bool tiles() const override { return bytes_; }
  std::string describe() const override;

 private:
  // -- compile (bpe_compile.cpp)
  void compile_alphabet(bool byte_level);
  void compile_list();
  void compile_all_splits();
  void compile_cuts();
  void compile_lengths();
  void compile_byte_pairs();
  void compile_raw_index();
  Symbol character_symbol(std::string_view character) const;
  void compile_raw_bytes();
  std::string_view token_bytes(TokenId id) const;

  // -- bytes (bpe_bytes.cpp)
  void encode_bytes(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends,
                    BpeWorkspace& ws, TokenSink& out) const;
  void encode_bytes_missed(std::string_view text, std::uint32_t begin, std::uint32_t end,
                           BpeWorkspace& ws, TokenSink& out) const;
  void merge_bytes(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const;
  std::size_t next_byte_cut(std::string_view piece, std::size_t at, bool well_formed,
                            CutMemo& memo) const;
  TokenId whole_piece(std::string_view piece) const;

  // -- characters (bpe_characters.cpp)
  void encode_characters(std::string_view piece, BpeWorkspace& ws, TokenSink& out) const;
  void encode_run(std::string_view run, BpeWorkspace& ws, TokenSink& out) const;
  std::size_t next_character_cut(std::string_view piece, std::size_t at, CutMemo& memo) const;
  /// Returns false when the answer holds unknown tokens and must not be cached.
  bool merge_characters(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const;
  void merge_sentencepiece(std::string_view segment, BpeWorkspace& ws, TokenSink& out,
                           bool& cacheable) const;
  void build_symbols(std::string_view segment, BpeWorkspace& ws, bool& unknown) const;
  void put_cached(const std::uint32_t* ids, std::size_t n, TokenSink& out) const;

  const model::TokenizerSpec& spec_;
  const model::Bpe& bpe_;
  const model::Vocab& vocab_;
  bool bytes_ = false;   // symbols are bytes (else characters)
  bool mapped_ = false;  // bytes, and the file writes tokens in the byte alphabet
  bool sentencepiece_ = false;
  bool affixes_ = false;         // continuing prefix or end-of-word suffix
  bool complete_bytes_ = false;  // every byte has a symbol, or every byte has a fallback token
  bool near_known_ = false;      // characters: ASCII and the word mark all have symbols
  bool cuts_ = false;            // exact cuts apply
  bool exact_lengths_ = false;   // lengths follow from ids alone
  std::string why_no_cuts_;
  std::array<Symbol, 256> byte_symbol_{};     // bytes_
  std::array<TokenId, 256> byte_fallback_{};  // "<0xNN>"
  std::vector<Symbol> bmp_symbol_;            // characters: symbol by code point below 0x10000
  Symbol internal_symbols_ = 0;  // symbols past the vocabulary for characters that are no tokens
  std::vector<std::pair<std::string, Symbol>> internal_characters_;
  TokenId unk_ = model::kNoToken;
  SymbolSet user_defined_;
  PairTable pairs_;
  std::vector<MergeIndex> byte_pairs_;  // bytes_: the merge of two neighbouring bytes, by both
  CutTable cut_;
  Merger merger_{pairs_};
  std::string raw_bytes_;                 // mapped_: the bytes of all tokens
  std::vector<std::uint32_t> raw_begin_;  // by id, one more at the end
  // mapped_ with the whole-piece lookup: tokens by their raw bytes
  std::vector<TokenId> raw_slots_;
  std::size_t longest_token_ = 0;            // raw bytes
  std::vector<std::uint32_t> token_length_;  // bytes by id, as far as exact_lengths_
};

inline constexpr Symbol kUnknownSymbol = PairTable::kMaxSymbols - 1;  // a character no merge knows

}  // namespace toktier::bpe
