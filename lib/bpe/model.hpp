#pragma once
// What every model (BPE, WordPiece, Unigram, WordLevel) offers the encode room: pieces to ids.
//
// A model is immutable after compile and shared by all threads; everything that changes lives in a
// Workspace that one worker owns. The per-piece path neither throws nor allocates once a workspace
// has grown to its size.

#include "model/spec.hpp"
#include "toktier/types.hpp"

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace toktier::bpe {

/// U+2581, which SentencePiece-style files write for a blank.
inline constexpr std::string_view kWordMark = "\xE2\x96\x81";

/// Flag of a length: the token covers that many bytes, and the next token begins where this one
/// begins.
inline constexpr std::uint32_t kSameBegin = 0x80000000;

/// Where tokens go: ids are appended, `lengths` is overwritten from its begin. `lengths[i]` is the
/// number of bytes of the piece that token i covers as the reference counts them (dropped
/// characters cover nothing, so lengths may not add up to the piece), perhaps with kSameBegin.
class TokenSink {
 public:
  TokenSink(std::vector<TokenId>& ids, std::vector<std::uint32_t>* lengths)
      : ids_(ids), lengths_(lengths), base_(ids.size()), at_(ids.size()) {}
  ~TokenSink() { finish(); }
  TokenSink(const TokenSink&) = delete;
  TokenSink& operator=(const TokenSink&) = delete;

  bool wants_lengths() const { return lengths_ != nullptr; }
  /// Makes room for `more` further tokens; call before writing. Amortised constant.
  void reserve(std::size_t more) {
    if (at_ + more > ids_.size()) grow(more);
  }
  TokenId* cursor() { return ids_.data() + at_; }
  std::uint32_t* length_cursor() { return lengths_ ? lengths_->data() + (at_ - base_) : nullptr; }
  void advance(std::size_t n) {
    at_ += n;
    assert(at_ <= ids_.size());  // whoever writes has reserved
  }
  std::size_t size() const { return at_; }
  void put(TokenId id, std::uint32_t length) {
    assert(at_ < ids_.size());
    ids_[at_] = id;
    if (lengths_) (*lengths_)[at_ - base_] = length;
    ++at_;
  }
  /// The last token covers `more` further bytes.
  void extend_last(std::uint32_t more) {
    if (lengths_) (*lengths_)[at_ - 1 - base_] += more;
  }
  /// Takes back everything after the first `size` tokens.
  void rewind(std::size_t size) { at_ = size; }
  /// Cuts the vectors to what was written.
  void finish() {
    ids_.resize(at_);
    if (lengths_) lengths_->resize(at_ - base_);
  }

 private:
  void grow(std::size_t more);
  std::vector<TokenId>& ids_;
  std::vector<std::uint32_t>* lengths_;
  std::size_t base_;  // tokens that were there before; lengths count from here
  std::size_t at_;
};

/// Per-worker scratch of one model. Results never depend on what it holds.
class Workspace {
 public:
  virtual ~Workspace() = default;
  /// Bytes held by the piece cache, for reports.
  virtual std::size_t cache_bytes() const { return 0; }
  /// The texts that follow are well-formed UTF-8 (pieces may still begin or end inside a
  /// character). False: any bytes.
  bool well_formed_text = true;
  /// encode() may keep ids back until finish(), so that the pieces of many short segments are
  /// worked on together; only while no lengths are wanted.
  bool keep_open = false;
  /// The pieces that follow are parts of one (Model::parts_at()); `carry` is what the model takes
  /// from one part to the next: 0 before the first.
  bool in_parts = false;
  double carry = 0;
  /// Forgets what was kept back (a document that failed half-way).
  virtual void start() {}
};

class Model {
 public:
  virtual ~Model() = default;
  virtual std::unique_ptr<Workspace> workspace(std::size_t cache_budget_bytes) const = 0;
  /// Encodes the pieces [begin, ends[0]), [ends[0], ends[1]), ... of `text`; pieces are not empty.
  /// Throws Error{input} only where the reference fails too (an unknown character without an
  /// unknown token).
  virtual void encode(std::string_view text, std::uint32_t begin,
                      std::span<const std::uint32_t> ends, Workspace& workspace,
                      TokenSink& out) const = 0;
  /// Under keep_open: a token that stands after everything encoded so far.
  virtual void put_literal(TokenId id, Workspace& workspace, TokenSink& out) const;
  /// Writes what keep_open kept back.
  virtual void finish(Workspace&, TokenSink&) const {}
  /// Bytes of text that parts_at() must be shown on the left of a place to say yes; nothing: a
  /// piece cannot be encoded in parts.
  virtual std::optional<std::size_t> parts_reach() const { return std::nullopt; }
  /// The encoding of a piece that holds `text` is the encoding of its part before `text` + at and
  /// that of the rest, put together, given Workspace::in_parts. At least parts_reach() bytes stand
  /// before `at`, one character behind it. False proves nothing.
  virtual bool parts_at(std::string_view, std::size_t, Workspace&) const { return false; }
  /// Parts depend on Workspace::carry.
  virtual bool carries() const { return false; }
  /// Every byte of a piece is in exactly one token, so lengths of a piece's tokens add up to the
  /// piece.
  virtual bool tiles() const { return false; }
  /// is_encoding() and token_bytes() may be called.
  virtual bool checks_tokens() const { return false; }
  /// The bytes that a token stands for; empty when the id is unused.
  virtual std::string_view token_bytes(TokenId) const { return {}; }
  /// The piece, which the bytes of the tokens make up, is encoded as just these tokens. `tokens` is
  /// not empty. Costs two tokens at a time, however long the piece.
  virtual bool is_encoding(std::string_view, std::span<const TokenId>, Workspace&) const {
    return false;
  }
  /// One line for `inspect`.
  virtual std::string describe() const = 0;
};

/// Compiles the model of a specification. `byte_level`: piece texts are raw bytes that stand for
/// the GPT-2 byte alphabet in which the file writes its tokens; only for BPE without affixes whose
/// vocabulary holds every byte that occurs in UTF-8 (else give it the pieces written in the
/// alphabet, and false). `blanks_are_marks`: piece texts may write U+2581 as a blank; only for
/// models that can_read_blanks(). Throws Error{input|unsupported}.
std::unique_ptr<Model> compile_model(const model::TokenizerSpec& spec, bool byte_level,
                                     bool blanks_are_marks = false);

/// The model knows the word mark, U+2581, and takes its texts character for character: then it may
/// be told that a blank is one more way to write the mark.
bool can_read_blanks(const model::TokenizerSpec& spec);

}  // namespace toktier::bpe
