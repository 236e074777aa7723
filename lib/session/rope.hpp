#pragma once
// The text and ids of a document in blocks of bounded size. Every block begins at a seam (the first
// at the document's begin); further seams inside it are marked, so that a place is found from bytes
// to tokens without walking tokens.
//
// Blocks are shared between ropes and copied when one of several owners changes them. A rope is
// used by one thread at a time; two ropes that share blocks may be used by two threads.
//
// A rope may forget the text of blocks (seal()) but for the last ones. Of each stretch between two
// marks there it keeps a 128-bit hash, by which common_prefix() and common_suffix() compare.

#include "toktier/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toktier::session {

/// A seam, or an end of the document: bytes and tokens that stand before it, and what the model
/// carries over it.
struct Place {
  std::size_t byte = 0;
  std::size_t token = 0;
  double carry = 0;
};

/// A stretch of text between two seams, as it comes from the encoder.
struct Stretch {
  std::size_t bytes = 0;
  std::size_t tokens = 0;
  double carry = 0;  // at its begin
};

/// Sizes that results do not depend on.
struct Grain {
  /// Seams nearer than this to each other are thinned out, but for the last of the document.
  std::size_t spacing = 1024;
  /// Blocks are closed at the last seam before they would grow larger.
  std::size_t block = std::size_t{16} << 10;
};

class Rope {
 public:
  struct Mark {
    std::uint32_t byte, token;
  };
  struct Hash {
    std::uint64_t low, high;
    friend bool operator==(const Hash&, const Hash&) = default;
  };
  struct Block {
    std::string text;          // empty when sealed
    std::uint32_t bytes = 0;   // of the text, kept or not
    std::vector<Hash> hashes;  // sealed: of the stretches between marks; else empty
    std::vector<TokenId> ids;
    std::vector<Mark> marks;      // ascending, none at the begin
    std::vector<double> carries;  // by mark; empty while all are 0
    double carry = 0;             // at the begin
    bool sealed() const { return !hashes.empty(); }
  };

  explicit Rope(Grain grain = {}) : grain_(grain) {}
  const Grain& grain() const { return grain_; }

  std::size_t bytes() const { return blocks_.empty() ? 0 : end_of(blocks_.back()).byte; }
  /// The text from here to the end is kept.
  std::size_t text_from() const;
  std::size_t tokens() const { return blocks_.empty() ? 0 : end_of(blocks_.back()).token; }

  /// The last seam at or before `byte`; the document's begin when there is none.
  Place seam_at_or_before(std::size_t byte) const;
  /// The first seam at or behind `byte`.
  std::optional<Place> seam_at_or_behind(std::size_t byte) const;

  /// The last seam at or before a token, and the next one (or the end). `token` < tokens().
  std::pair<Place, Place> seams_around(std::size_t token) const;

  /// Needs kept text, as does at_character().
  void append_text(std::size_t begin, std::size_t end, std::string& out) const;
  void append_ids(std::size_t begin, std::size_t end, std::vector<TokenId>& out) const;
  bool at_character(std::size_t byte) const;
  /// Length of the longest common prefix of text() and `other`; of the longest common suffix of
  /// what lies behind byte `floor` in both. Where text is not kept, up to whole stretches, and
  /// equal when their hashes are.
  std::size_t common_prefix(std::string_view other) const;
  std::size_t common_suffix(std::string_view other, std::size_t floor) const;

  /// Puts stretches of text in place of what lies between two seams (or ends).
  void splice(const Place& from, const Place& to, std::string_view text, const TokenId* ids,
              const std::vector<Stretch>& stretches);
  void clear() { blocks_.clear(); }
  /// Forgets the text of blocks that end more than `keep` bytes before the last block, as far as
  /// they were made since the last call.
  void seal(std::size_t keep);

  /// The blocks, which this rope no longer changes while others hold them.
  std::vector<std::shared_ptr<const Block>> blocks() const;
  /// The document of blocks that a rope gave, all with their text, or those before some block.
  void restore(const std::vector<std::shared_ptr<const Block>>& blocks);

  std::size_t memory() const;

 private:
  struct Entry {
    std::shared_ptr<Block> block;
    std::size_t byte, token;  // before the block
  };

  static Place end_of(const Entry& e) {
    return {e.byte + e.block->bytes, e.token + e.block->ids.size(), 0};
  }
  std::size_t block_of(std::size_t byte) const;
  Block& own(std::size_t index);
  void cut_back(const Place& at);
  void push(std::string_view text, const TokenId* ids, const Stretch& stretch);
  void push_rest(const Block& block, std::size_t from_mark);
  void push_sealed_rest(const Block& block, std::size_t from_mark);
  void seal_block(std::size_t index);
  static Hash hash_of(std::string_view text);
  static std::pair<std::size_t, std::size_t> stretch_of(const Block& block, std::size_t i);
  static double carry_of(const Block& block, std::size_t mark) {
    return block.carries.empty() ? 0 : block.carries[mark];
  }

  Grain grain_;
  std::vector<Entry> blocks_;      // none empty
  std::size_t unsealed_from_ = 0;  // blocks before it were there at the last seal(), or are sealed
};

}  // namespace toktier::session
