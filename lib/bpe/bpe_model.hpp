#pragma once
// Byte-pair encoding for every kind of file: merge lists, rank files and SentencePiece scores, over
// bytes or characters.
//
// Order of work for a piece: (1) the piece cache; (2) the whole-piece lookup where the family has
// it (ignore_merges, rank files); (3) exact cuts of long pieces, each segment through the cache;
// (4) a merge loop: many short ones side by side (merge_lanes), long ones one by one (Merger).
// Every answer is a function of the piece's bytes.

#include "bpe/cut_table.hpp"
#include "bpe/long_cache.hpp"
#include "bpe/merge_lanes.hpp"
#include "bpe/merger.hpp"
#include "bpe/model.hpp"
#include "bpe/pair_table.hpp"
#include "bpe/piece_batch.hpp"
#include "bpe/piece_cache.hpp"
#include "bpe/symbol_set.hpp"
#include "bpe/whole_tokens.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace toktier::bpe {

/// Segments above this go straight from the text into the sink.
inline constexpr std::size_t kStreamBytes = std::size_t{1} << 13;

/// Tokens without lengths at the end of a sink.
class SinkTarget final : public TokenTarget {
 public:
  explicit SinkTarget(TokenSink& out) : out_(out), first_(out.size()) {}
  void put(const Symbol* tokens, const std::uint32_t*, std::size_t count, std::size_t) override {
    out_.reserve(count);
    std::copy_n(tokens, count, out_.cursor());
    out_.advance(count);
  }
  void restart() override { out_.rewind(first_); }

 private:
  TokenSink& out_;
  std::size_t first_;
};

/// Whether two neighbours are their own encoding, for those last asked for. Unused until it is.
class PairMemo {
 public:
  /// `work_out` is called when the answer is not known.
  template <class WorkOut>
  bool ask(TokenId left, TokenId right, WorkOut&& work_out) {
    if (slots_.empty()) slots_.resize(kSlots, {model::kNoToken, 0});
    Slot& slot = slots_[(left * 0x9E3779B1U ^ right * 0x85EBCA77U) >> (32 - kBits)];
    if (slot.left != left || slot.right >> 1 != right)
      slot = {left, std::uint64_t{right} << 1 | (work_out() ? 1U : 0U)};
    return (slot.right & 1) != 0;
  }

 private:
  static constexpr unsigned kBits = 15;
  static constexpr std::size_t kSlots = std::size_t{1} << kBits;
  struct Slot {
    TokenId left;
    std::uint64_t right;  // and the answer in the last bit
  };
  std::vector<Slot> slots_;
};

struct BpeWorkspace final : Workspace {
  // Half of the budget belongs to short pieces.
  explicit BpeWorkspace(std::size_t budget)
      : cache(budget / 2), medium(budget / 4), longer(budget / 4) {}
  std::size_t cache_bytes() const override {
    return cache.bytes() + medium.bytes() + longer.bytes();
  }
  void start() override {
    batch.clear();
    forget_long_jobs();
    medium_items.clear();
    wide_items.clear();
    wide_bytes.clear();
  }
  void forget_long_jobs() {
    long_jobs.clear();
    kept_jobs = kept_bytes = 0;
  }
  PieceCache cache;
  MediumCache medium;
  LongCache longer;
  PieceBatch batch;
  CutMemo memo;
  MergeScratch merge;
  std::vector<std::uint32_t> jobs;  // missed items that need merging
  struct Twin {
    std::uint32_t item, first;
  };
  std::vector<Twin> twins;  // missed items equal to an earlier one
  struct LongJob {
    std::uint32_t item;
    std::string_view bytes;
  };
  std::vector<LongJob> long_jobs;  // characters_: items above 31 bytes that need merging
  // The bytes of the first `kept_jobs` of them, so that they outlive the call's text.
  std::vector<char> kept_text = std::vector<char>(std::size_t{1} << 15);
  std::size_t kept_jobs = 0, kept_bytes = 0;
  struct MediumItem {
    std::uint32_t item, set;
    MediumKey key;
  };
  std::vector<MediumItem> medium_items;      // items of 16..31 bytes
  std::vector<std::uint32_t> medium_missed;  // of those
  struct WideItem {
    std::uint32_t item, begin, length;  // in wide_bytes
    bool segment;
  };
  std::vector<WideItem> wide_items;  // bytes_: items of 32..64 bytes that need merging
  std::string wide_bytes;
  bool medium_in_longer = false;  // some had too many ids for `medium`
  std::vector<TokenId> alone;     // ids of a segment merged by itself
  std::vector<Symbol> symbols;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> symbol_ends;  // bytes covered up to and including each initial symbol
  std::string text;                // a piece or character with affixes, in the file's alphabet
  PairMemo pairs;                  // of is_encoding()
  const char* text_end = nullptr;  // characters: how far the text of this call can be read
  bool last_was_unknown = false;   // SentencePiece fuses neighbouring unknown pieces
};

class BpeModel final : public Model {
 public:
  BpeModel(const model::TokenizerSpec& spec, bool byte_level, bool blanks_are_marks);
  std::unique_ptr<Workspace> workspace(std::size_t cache_budget_bytes) const override;
  void encode(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends,
              Workspace& workspace, TokenSink& out) const override;
  void put_literal(TokenId id, Workspace& workspace, TokenSink& out) const override;
  void finish(Workspace& workspace, TokenSink& out) const override;
  bool tiles() const override { return bytes_; }
  std::optional<std::size_t> parts_reach() const override;
  bool parts_at(std::string_view text, std::size_t at, Workspace& workspace) const override;
  bool checks_tokens() const override { return bytes_; }
  std::string_view token_bytes(TokenId id) const override;
  bool is_encoding(std::string_view piece, std::span<const TokenId> tokens,
                   Workspace& workspace) const override;
  std::string describe() const override;

 private:
  // -- compile (bpe_compile.cpp)
  void compile_alphabet(bool byte_level);
  void compile_list();
  void compile_all_splits();
  void compile_cuts();
  void add_to_cuts(std::string_view result);
  void compile_lengths();
  void compile_byte_pairs();
  void compile_near_pairs();
  void compile_whole();
  Symbol character_symbol(std::string_view character) const;
  void compile_raw_bytes();

  static constexpr std::size_t kCuts = 512;  // worked out at a time

  // -- bytes (bpe_bytes.cpp)
  void encode_bytes(std::string_view text, std::uint32_t begin, std::span<const std::uint32_t> ends,
                    BpeWorkspace& ws, TokenSink& out) const;
  void add_long_bytes(std::string_view text, std::uint32_t begin, std::uint32_t end,
                      BpeWorkspace& ws, TokenSink& out) const;
  void add_uncut_bytes(std::string_view text, std::uint32_t begin, std::uint32_t end,
                       BpeWorkspace& ws, TokenSink& out) const;
  void add_long_segment(std::string_view segment, bool whole, BpeWorkspace& ws,
                        TokenSink& out) const;
  void stream_bytes(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const;
  void finish_bytes(BpeWorkspace& ws, TokenSink& out) const;
  void resolve_wide(BpeWorkspace& ws) const;
  template <class L>
  void lay_bytes(const unsigned char* bytes, std::size_t n, L& lane) const;
  /// The ids are left in ws.symbols.
  std::size_t merge_bytes(std::string_view segment, BpeWorkspace& ws) const;
  std::size_t byte_cuts(std::string_view text, std::size_t at, std::size_t end, bool well_formed,
                        std::uint32_t* cuts, CutMemo& memo) const;
  TokenId whole_piece(std::string_view piece) const;
  TokenId whole_piece(PieceCache::ShortKey key) const;

  // -- characters (bpe_characters.cpp)
  void encode_characters(std::string_view piece, BpeWorkspace& ws, TokenSink& out) const;
  void encode_run(std::string_view run, BpeWorkspace& ws, TokenSink& out) const;
  void encode_run_plain(std::string_view run, BpeWorkspace& ws, TokenSink& out) const;
  void encode_run_batched(std::string_view run, BpeWorkspace& ws, TokenSink& out) const;
  void finish_characters(BpeWorkspace& ws, TokenSink& out) const;
  /// False when the batch must be finished now.
  static bool keep_long_jobs(BpeWorkspace& ws);
  bool merge_alone(std::string_view segment, BpeWorkspace& ws) const;
  bool stream_characters(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const;
  template <class L>
  bool lay_characters(std::string_view text, L& lane) const;
  std::size_t segments(std::string_view run, std::size_t at, std::uint32_t* cuts,
                       BpeWorkspace& ws) const;
  std::size_t next_character_cuts(std::string_view run, std::size_t at, std::uint32_t* cuts,
                                  CutMemo& memo) const;
  /// Returns false when the answer holds unknown tokens and must not be cached.
  bool merge_characters(std::string_view segment, BpeWorkspace& ws, TokenSink& out) const;
  void merge_sentencepiece(std::string_view segment, BpeWorkspace& ws, TokenSink& out,
                           bool& cacheable) const;
  void build_symbols(std::string_view segment, BpeWorkspace& ws, bool& unknown) const;
  void put_cached(const std::uint32_t* ids, std::size_t n, TokenSink& out) const;

  // -- both
  /// At the end of a call: what may wait for the next one stays in the batch.
  void close(BpeWorkspace& ws, TokenSink& out) const;
  void finish_batch(BpeWorkspace& ws, TokenSink& out) const;
  void fill_lengths(std::size_t first_token, TokenSink& out) const;
  /// Gives every missed item of the batch its ids (bpe_resolve.hpp). `start(lane, key, item)` lays
  /// a piece into a lane; `accept(item, ids, n)` sees what became of it. Either returns false when
  /// it has set the item's ids itself.
  template <class Start, class Accept>
  void resolve(BpeWorkspace& ws, Start&& start, Accept&& accept) const;
  /// A piece or segment of 16 to 31 bytes; `marked`: a segment, where that makes a difference.
  /// Room: the batch is not full.
  static void add_medium(std::string_view text, std::uint32_t begin, std::uint32_t end, bool marked,
                         BpeWorkspace& ws);
  /// As resolve(), for the items of add_medium(). `is_short(key)`: few enough symbols for a
  /// ShortLane; `start(lane, key, item)` and
  /// `accept(key, item, ids, n)` as there.
  static void remember_medium(const MediumKey& key, std::span<const TokenId> ids, BpeWorkspace& ws);
  template <class IsShort, class Start, class Accept>
  void resolve_medium(BpeWorkspace& ws, IsShort&& is_short, Start&& start, Accept&& accept) const;

  const model::TokenizerSpec& spec_;
  const model::Bpe& bpe_;
  const model::Vocab& vocab_;
  bool bytes_ = false;   // symbols are bytes (else characters)
  bool mapped_ = false;  // bytes, and the file writes tokens in the byte alphabet
  bool sentencepiece_ = false;
  bool affixes_ = false;  // continuing prefix or end-of-word suffix
  bool blanks_are_marks_ = false;
  bool complete_bytes_ = false;  // every byte has a symbol, or every byte has a fallback token
  bool never_unknown_ = false;   // no character of a text becomes an unknown token or is dropped
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
  std::vector<Merged> byte_pairs_;  // bytes_: the merge of two neighbouring bytes, by both
  // Characters: the merge of two neighbouring near characters (CutTable::near_index), by both.
  static constexpr unsigned kNotNear = 129;
  std::vector<Merged> near_pairs_;
  CutTable cut_;
  Merger merger_{pairs_};
  std::string raw_bytes_;                 // mapped_: the bytes of all tokens
  std::vector<std::uint32_t> raw_begin_;  // by id, one more at the end
  bool whole_first_ = false;              // bytes_: a piece that is a token is that token
  WholeTokens whole_;                     // whole_first_: the short ones
  // mapped_ and whole_first_: the others by their raw bytes
  struct RawSlot {
    std::uint32_t tag = 0;  // of the hash, so that most other tokens need no look at their bytes
    TokenId id = model::kNoToken;
  };
  std::vector<RawSlot> raw_slots_;
  std::size_t longest_token_ = 0;            // raw bytes
  std::vector<std::uint32_t> token_length_;  // bytes by id, as far as exact_lengths_
};

inline constexpr Symbol kUnknownSymbol = PairTable::kMaxSymbols - 1;  // a character no merge knows

}  // namespace toktier::bpe
