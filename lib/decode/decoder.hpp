#pragma once
// Ids back to text, at once or one after another.
//
// The result is what the reference's decode gives: for tokenizer.json the token texts (added tokens
// in their normalized form, as that engine has them) through the file's chain of decoders; for rank
// files the raw bytes; for .model files the SentencePiece engine's rules. One difference by choice:
// the Hugging Face engine drops ids that do not exist without a word; here that is an error unless
// asked for.

#include "added/added_table.hpp"
#include "model/spec.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace toktier::decode {

struct DecodeOptions {
  /// Leave out special tokens. The Hugging Face engine compares token TEXTS with its set of special
  /// contents; a special token that its normalizer changes is therefore not left out. .model files:
  /// control pieces are invisible anyway. Rank files: ids of the special tokens.
  bool skip_special = false;
  enum class UnknownId {
    error,  // Error{input} naming the id
    drop,   // as the Hugging Face engine does
  } unknown = UnknownId::error;
  /// Rank files: replace ill-formed UTF-8 by U+FFFD instead of giving raw bytes.
  bool lossy_text = false;
};

/// Immutable after compile(); shared among threads.
class Decoder {
 public:
  /// Throws Error{unsupported} naming a step that cannot be run.
  static Decoder compile(const model::TokenizerSpec& spec, const added::AddedTable& added);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  /// Throws Error{input} for an id outside the vocabulary (see DecodeOptions), Error{unsupported}
  /// where the reference itself fails.
  std::string decode(std::span<const TokenId> ids, const DecodeOptions& options = {}) const;

  TokenId end_id() const;  // one past the largest id, added tokens included
  bool has(TokenId id) const;
  bool is_special(TokenId id) const;  // left out with skip_special

 private:
  friend class Stream;
  struct Impl;
  explicit Decoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Gives out only bytes that can never change, and never half a character; everything given out,
/// finish() included, joined equals decode() of all ids. What is held back is what the rules need
/// and no more:
///   ByteLevel, rank and .model files: at most three bytes; .model files with a denormalizer: all;
///   Replace: a possible beginning of its pattern; Strip: `stop` characters; BPEDecoder: one token;
///   ByteFallback: a run of byte tokens that is well-formed UTF-8 so far (the reference turns the
///   WHOLE run to U+FFFD when a later byte breaks it); WordPiece, CTC, ByteLevel after Fuse: the
///   text of the token, which after Fuse is all of it.
/// The stream depends on the ids pushed and on nothing before them: to go on from a prompt that
/// ends inside a character, push the prompt's ids first and drop what comes back; the character
/// then comes whole with the new text. A call that throws for an unknown id changes nothing. Must
/// not outlive its Decoder. Not thread-safe.
class Stream {
 public:
  explicit Stream(const Decoder& decoder, const DecodeOptions& options = {});
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();

  std::string push(TokenId id);
  std::string push(std::span<const TokenId> ids);
  /// Gives out what is held; the stream begins a new text.
  std::string finish();
  std::size_t held_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier::decode
