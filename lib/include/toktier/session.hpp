#pragma once
// A session: a document that changes, and its ids, at the cost of the change.
//
// Contract: after every call the session's ids are those of Tokenizer::encode() on the whole
// present text, with the options the session was made with and nothing truncated or padded.
//
// Parts. The document may be a row of parts:
//   text       trusted: control tokens in it are recognised, as the options say;
//   untrusted  text from which no control token comes (SessionOptions::trust);
//   sampled    ids, from a model: kept exactly as given, never encoded again. Their text is what
//              Tokenizer::decode() gives for the part alone, with U+FFFD for what is not UTF-8.
// A run of text parts between sampled ones is encoded as one text, exactly as
// Tokenizer::encode_parts() does with these parts: tokens may span them. A run and sampled ids
// beside it do not see each other: each run is encoded on its own, as if it were the whole
// document, so the session's ids are encode_parts(first run), the sampled ids, encode_parts(next
// run) ... Nothing else could keep the ids, but the whole need not be what encode() of text()
// gives: drift.hpp says whether it is and where they part first. (So a tokenizer that puts a blank
// before a text does so before every run.)
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
// for edits before the end, 24 bytes a 16 KB block and 48 a run or sampled part. fork() copies as
// much and shares the rest. append_sampled() costs its ids; the text of a sampled part is decoded
// when a byte behind it is first asked for. An edit that takes out the sampled ids between two runs
// encodes all of the second again. Memory: text, 4 bytes a token, some hundredths of a byte a
// token, some hundreds of bytes a run. Without kept text (SessionOptions::keep_text) that of about
// the last 16 KB of each run stays.
//
// Lifetime: a session keeps its tokenizer's tables alive; the Tokenizer itself may go. Threads: one
// session is used by one thread at a time; sessions, forks of each other included, are independent.
// Errors: a call that throws leaves the session as it was. Text must be UTF-8.

#include "toktier/drift.hpp"
#include "toktier/tokenizer.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier {

namespace session {
class StateAccess;
}

struct SessionOptions {
  SpecialMode special = SpecialMode::file_default;
  std::vector<std::string> special_list{};
  /// Put the post-processor's tokens (BOS, EOS, [CLS] ...) around the document's. They are no part
  /// of the stored tokens; one at the end comes again with every patch that moves it.
  bool add_special = false;
  /// The caller says what text is trusted: append_untrusted() may be used, and ids are those of
  /// encode_parts(), whose file_default takes control tokens from trusted text also where a plain
  /// call takes none (rank files).
  bool trust = false;
  /// Keep the text. Without it about 4 bytes a token stay; text() is refused, edit() works near the
  /// end of a run only (else Error{usage}), rewind() may want text from the caller, and update()
  /// compares by 128-bit hashes of stretches of about a kilobyte: a stretch that was changed to
  /// another of equal hash would be missed, with a chance of 2^-128 for each comparison (the hash
  /// is seeded by process, so such texts cannot be prepared, but it is no cryptographic hash).
  bool keep_text = true;
};

enum class PartKind : std::uint8_t {
  text,
  untrusted,
  sampled,
};

/// Where a part is: half-open ranges of bytes of the text and of tokens of snapshot(). A token
/// belongs to the part that its first byte is in, as encode() with spans reports it before spans
/// are trimmed; so a part may have no token, and its last token may reach into the next part. The
/// post-processor's tokens belong to no part. For a mask of what a model is trained on: 1 for the
/// ranges of kind sampled.
struct PartRange {
  PartKind kind = PartKind::text;
  std::uint32_t label = 0;  ///< begin_part()
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  friend bool operator==(const PartRange&, const PartRange&) = default;
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
  /// Throws Error{usage} in a session made without SessionOptions::trust.
  Patch append_untrusted(std::string_view text, Tokenizer::Scratch* scratch = nullptr);
  /// Throws Error{input} for an id that does not exist.
  Patch append_sampled(std::span<const TokenId> ids);
  /// What is appended next begins a part with this label, even one of the kind of the part before.
  /// Without it neighbours of one kind and label are one part.
  void begin_part(std::uint32_t label = 0);

  /// Replaces the bytes [begin, end) of the text; both at character borders and not inside a
  /// sampled part, else Error{usage}. Sampled parts inside the range go. With trust, the text is
  /// untrusted when untrusted or sampled bytes are replaced, or when it is put inside or beside
  /// untrusted text; the second form says what it is. Text goes on a neighbouring part that is as
  /// trusted as it.
  Patch edit(std::size_t begin, std::size_t end, std::string_view text,
             Tokenizer::Scratch* scratch = nullptr);
  Patch edit(std::size_t begin, std::size_t end, const Part& part,
             Tokenizer::Scratch* scratch = nullptr);
  /// Makes the text `full`, by one edit of what lies between the longest common prefix and suffix.
  /// A sampled part that is not wholly in one of them is replaced as a whole: its text, changed, is
  /// text from then on.
  Patch update(std::string_view full, Tokenizer::Scratch* scratch = nullptr);
  /// Keeps the first `bytes` bytes of the text, and of a sampled part the ids with just the text
  /// that stays; Error{usage} when there are none such. Without kept text `before` holds at least
  /// the last rewind_needs(bytes) of them, as they are; its end is the end of the text to be.
  Patch rewind(std::size_t bytes, Tokenizer::Scratch* scratch = nullptr,
               std::string_view before = {});
  /// How much text before `bytes` rewind() has to be given.
  std::size_t rewind_needs(std::size_t bytes) const;

  /// An independent session with the same text. Shares memory until either changes.
  Session fork() const;
  /// Forgets the document: as a new session.
  void close();

  std::size_t bytes() const;
  std::size_t tokens() const;                  ///< those of the post-processor included
  std::string text() const;                    ///< Error{usage} when it is not kept
  std::vector<TokenId> snapshot() const;       ///< all ids
  std::vector<PartRange> part_ranges() const;  ///< in order; they cover the text
  /// Whether the ids are those of the text as one, with the parts' trust and sampled text trusted
  /// (a model may end its turn); if not, where they part first. Tokens of the post-processor are
  /// counted, not compared. Encodes the whole text; Error{usage} when it is not kept.
  Drift drift() const;
  const SessionStatistics& statistics() const;
  /// Why this tokenizer's documents can only be encoded as a whole; empty when they have seams.
  std::string refusal() const;
  /// Bytes of memory this session holds, shared blocks counted in full.
  std::size_t memory() const;

 private:
  friend class session::StateAccess;
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  template <class Use>
  Patch change(Tokenizer::Scratch* scratch, Use&& use);
  std::unique_ptr<Impl> impl_;
};

}  // namespace toktier
