#pragma once
// The text and ids of a document in blocks of bounded size. Every block begins at a seam (the first
// at the document's begin); further seams inside it are marked, so that a place is found from bytes
// to tokens without walking tokens.
//
// Blocks are shared between ropes and copied when one of several owners changes them. A rope is
// used by one thread at a time; two ropes that share blocks may be used by two threads.

#include "toktier/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  explicit Rope(Grain grain = {}) : grain_(grain) {}
  const Grain& grain() const { return grain_; }

  std::size_t bytes() const { return blocks_.empty() ? 0 : end_of(blocks_.back()).byte; }
  std::size_t tokens() const { return blocks_.empty() ? 0 : end_of(blocks_.back()).token; }

  /// The last seam at or before `byte`; the document's begin when there is none.
  Place seam_at_or_before(std::size_t byte) const;
  /// The first seam at or behind `byte`.
  std::optional<Place> seam_at_or_behind(std::size_t byte) const;

  void append_text(std::size_t begin, std::size_t end, std::string& out) const;
  void append_ids(std::size_t begin, std::size_t end, std::vector<TokenId>& out) const;
  bool at_character(std::size_t byte) const;
  /// Length of the longest common prefix of text() and `other`; of the longest common suffix of
  /// what lies behind byte `floor` in both.
  std::size_t common_prefix(std::string_view other) const;
  std::size_t common_suffix(std::string_view other, std::size_t floor) const;

  /// Puts stretches of text in place of what lies between two seams (or ends).
  void splice(const Place& from, const Place& to, std::string_view text, const TokenId* ids,
              const std::vector<Stretch>& stretches);
  void clear() { blocks_.clear(); }

  std::size_t memory() const;

 private:
  struct Mark {
    std::uint32_t byte, token;
  };
  struct Block {
    std::string text;
    std::vector<TokenId> ids;
    std::vector<Mark> marks;      // ascending, none at the begin
    std::vector<double> carries;  // by mark; empty while all are 0
    double carry = 0;             // at the begin
  };
  struct Entry {
    std::shared_ptr<Block> block;
    std::size_t byte, token;  // before the block
  };

  static Place end_of(const Entry& e) {
    return {e.byte + e.block->text.size(), e.token + e.block->ids.size(), 0};
  }
  std::size_t block_of(std::size_t byte) const;
  Block& own(std::size_t index);
  void cut_back(const Place& at);
  void push(std::string_view text, const TokenId* ids, const Stretch& stretch);
  void push_rest(const Block& block, std::size_t from_mark);
  static double carry_of(const Block& block, std::size_t mark) {
    return block.carries.empty() ? 0 : block.carries[mark];
  }

  Grain grain_;
  std::vector<Entry> blocks_;  // none empty
};

}  // namespace toktier::session
