#pragma once
// Ids against their text: is a row of ids what its own text is encoded as, and where do they part?
//
// A model samples ids one by one; nothing keeps them to the encoding of the text they make. Who
// decodes them and encodes the text again then has other ids than the model saw. A row of ids is
// canonical when encode(decode(ids)) = ids. The text of ids is what Tokenizer::decode() gives, with
// U+FFFD for what is not UTF-8 (rank files).
//
// How it is found out. The text is encoded and the ids compared: caches make that the fastest way.
// DriftOptions::by_neighbours asks for another where tokens are byte strings that tile the text
// (byte-level BPE without a normalizer: GPT-2, Llama-3, o200k, rank files ...): pieces are cut from
// the text, and inside a piece tokens are the encoding of their bytes exactly when every two
// neighbours are that of theirs (the proof is in bpe/bpe_check.cpp of the sources). That never
// merges more than two tokens' bytes and uses none of the encoder's caches, so it is a second
// opinion; it costs more.
//
// Threads: the functions may be used by any number of threads at once; a DriftStream by one at a
// time.

#include "toktier/tokenizer.hpp"
#include "toktier/types.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace toktier {

struct DriftOptions {
  /// Which control tokens the text is read with; file_default: all, but for .model files, which
  /// take none from text.
  SpecialMode special = SpecialMode::file_default;
  std::vector<std::string> special_list{};
  /// The ids are those of a document with the post-processor's tokens around it; they are compared
  /// with encode(add_special). Throws Error{unsupported} when it does more than that.
  bool add_special = false;
  /// Decide by neighbours where that can be done; the place of a drift is found by encoding.
  bool by_neighbours = false;
};

/// The first place where ids and the encoding of their text part.
struct Drift {
  bool canonical = true;
  std::size_t tokens = 0;  ///< how many ids were given
  /// The ids before this one are those of the encoding; `tokens` when canonical. The given ids or
  /// the encoding may end here.
  std::size_t token = 0;
  /// Where in the text the encoding's token begins there (its span, before spans are trimmed); the
  /// length of the text when the encoding ends there.
  std::size_t byte = 0;
  /// What follows from there on both sides, at most kShown ids of each.
  static constexpr std::size_t kShown = 8;
  std::vector<TokenId> given;
  std::vector<TokenId> expected;
};

/// Throws Error{input} for an id that does not exist or a text that the tokenizer cannot encode.
Drift find_drift(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                 const DriftOptions& options = {});
/// The same question, without the place.
bool is_canonical(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                  const DriftOptions& options = {});

/// The same for a row of ids that grows: push() costs the new ids. Holds about 8 bytes an id.
class DriftStream {
 public:
  /// Throws Error{usage} for DriftOptions::add_special: where the row ends is not known.
  explicit DriftStream(const Tokenizer& tokenizer, const DriftOptions& options = {});
  DriftStream(DriftStream&&) noexcept;
  DriftStream& operator=(DriftStream&&) noexcept;
  ~DriftStream();

  /// Throws Error{input} for an id that does not exist; the stream is then as it was.
  void push(TokenId id);
  void push(std::span<const TokenId> ids);
  /// What is known so far: ids at the end whose text is not settled (half a character, see
  /// StreamDecoder) are held to be canonical. A drift may go away again while it is within the last
  /// piece: what follows can change how that is encoded.
  Drift so_far() const;
  /// Ends the row: find_drift() of all ids. Nothing may be pushed after it.
  Drift finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier
