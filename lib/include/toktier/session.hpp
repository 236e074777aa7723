#pragma once
// A session: a document that changes, and its ids, at the cost of the change.
//
// Contract: after every call the session's ids are those of Tokenizer::encode() on the whole
// present text, with the options the session was made with and nothing truncated or padded.
//
// How. The document is kept as parts that begin at seams: places proved, from the bytes near them
// alone, to be such that ids(text) = ids(left part) ids(right part). A change encodes again what
// lies between the last seam whose proof ends before it and the first seam whose proof begins
// behind it. Nothing is guessed and nothing is compared to stop early: the proof is in
// encode/seams.hpp of the sources. Where a tokenizer or a text has no seam nearby the stretch is
// longer - in the worst case the whole text - which Statistics counts; ids never differ.
//
// Cost: an append or edit works on the bytes changed, those up to the next seams (some tens for an
// append, about a thousand at each end of an edit), and nothing that grows with the document but,
// for edits before the end, 24 bytes a 16 KB block. fork() copies 24 bytes a block and shares the
// rest. Memory: text, 4 bytes a token, and some hundredths of a byte a token.
//
// Lifetime: a session keeps its tokenizer's tables alive; the Tokenizer itself may go. Threads: one
// session is used by one thread at a time; sessions, forks of each other included, are independent.
// Errors: a call that throws leaves the session as it was. Text must be UTF-8.

#include "toktier/tokenizer.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier {

struct SessionOptions {
  SpecialMode special = SpecialMode::file_default;
  std::vector<std::string> special_list{};
  /// Put the post-processor's tokens (BOS, EOS, [CLS] ...) around the document's. They are no part
  /// of the stored tokens; one at the end comes again with every patch that moves it.
  bool add_special = false;
};

/// How to make the new sequence of ids from the one before.
struct Patch {
  std::size_t keep_tokens = 0;  ///< the first so many ids stay
  std::vector<TokenId> ids;     ///< then these follow
  /// ... and then the last so many ids of the sequence before, unchanged. 0 unless the change left
  /// text at the end alone: an append needs keep_tokens and ids only.
  std::size_t tail_tokens = 0;
  /// The new sequence in place of the one before.
  void apply(std::vector<TokenId>& sequence) const;
};

/// What a session has done; each counter only grows. A fork starts with those of its origin.
struct SessionStatistics {
  std::uint64_t changes = 0;        ///< calls that changed the text
  std::uint64_t bytes_given = 0;    ///< bytes of text in those calls (update: those that differ)
  std::uint64_t bytes_encoded = 0;  ///< bytes encoded, those given included
  std::uint64_t tokens_encoded = 0;
  std::uint64_t parts_encoded = 0;  ///< stretches between seams
  /// Changes to a document with text before and behind them, or appends, that found no seam on a
  /// side, so that the work went to that end of the document.
  std::uint64_t no_seam_before = 0;
  std::uint64_t no_seam_behind = 0;
  /// Edits behind which a Unigram model's running score differed, so that all that follows was
  /// encoded again.
  std::uint64_t score_moved = 0;
};

class Session {
 public:
  /// An empty document. Throws Error{unsupported} when the file's post-processor does more than put
  /// ids before and behind the document's, and whatever Tokenizer::encode() throws for the options.
  explicit Session(const Tokenizer& tokenizer, SessionOptions options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Every change takes a scratch space of this tokenizer, or (null) one of the tokenizer's own.
  /// The sequence that the first patch is applied to is empty.
  Patch append(std::string_view text, Tokenizer::Scratch* scratch = nullptr);
  /// Replaces the bytes [begin, end) of the text; both at character borders, else Error{usage}.
  Patch edit(std::size_t begin, std::size_t end, std::string_view text,
             Tokenizer::Scratch* scratch = nullptr);
  /// Makes the text `full`, by one edit of what lies between the longest common prefix and suffix.
  Patch update(std::string_view full, Tokenizer::Scratch* scratch = nullptr);
  /// Keeps the first `bytes` bytes of the text.
  Patch rewind(std::size_t bytes, Tokenizer::Scratch* scratch = nullptr);

  /// An independent session with the same text. Shares memory until either changes.
  Session fork() const;
  /// Forgets the document: as a new session.
  void close();

  std::size_t bytes() const;
  std::size_t tokens() const;  ///< those of the post-processor included
  std::string text() const;
  std::vector<TokenId> snapshot() const;  ///< all ids
  const SessionStatistics& statistics() const;
  /// Why this tokenizer's documents can only be encoded as a whole; empty when they have seams.
  std::string refusal() const;
  /// Bytes of memory this session holds, shared blocks counted in full.
  std::size_t memory() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier
