#pragma once
// The search for added tokens: a text to segments of plain text and literals, as the reference cuts
// it.
//
// Order of work for one document (tokenizer.json): split_raw() on the document; each text segment
// is normalized; split_normalized() on the result; the remaining text goes to the pre-tokenizer.
// Rank files: split_raw() only. .model files: nothing is matched here (the model itself matches
// user-defined symbols, and control symbols never come from text).
//
// Rules of the reference, all checked against the running engine:
//  - leftmost-longest in each pass, whatever the order in the file; the search goes on at the end
//  of the match;
//  - single_word: dropped when a word character touches it; the match is consumed all the same;
//  - lstrip takes white space back to the previous segment's end, rstrip takes white space after
//  it. The white
//    space that rstrip took is searched again: literals in it come out too, so segments may
//    OVERLAP, and plain text may come twice. That is what the reference returns;
//  - a literal that ends up empty vanishes;
//  - special tokens that are switched off are found and skipped, so they hide what lies inside
//  them;
//  - rank files: a special token that is not allowed is skipped by one byte, so one inside it is
//  found.
// Where the reference is random (two added tokens with one normalized text; a rank-file special
// that is a prefix of another) or dies (overlap that inverts a segment), Error{unsupported} is
// thrown when the text meets the case.
//
// AddedTokens is immutable and shared among threads; all calls are const and keep no state.

#include "added/added_table.hpp"
#include "added/edge_rules.hpp"
#include "added/literal_trie.hpp"
#include "model/spec.hpp"
#include "toktier/tokenizer.hpp"
#include "unicode/aligned_text.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::added {

struct Segment {
  std::uint32_t begin = 0;  // bytes in the text that was split
  std::uint32_t end = 0;
  TokenId id = model::kNoToken;  // kNoToken: plain text
  bool is_literal() const { return id != model::kNoToken; }
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Which added tokens count, resolved once per call of the tokenizer; see AddedTokens::filter().
class SpecialFilter {
 public:
  SpecialFilter() = default;  // nothing is skipped

 private:
  friend class AddedTokens;
  bool nothing_ = false;    // rank files: no special at all
  std::vector<bool> skip_;  // by entry; empty: none
  bool skips(std::uint32_t entry) const { return !skip_.empty() && skip_[entry]; }
};

/// Byte ranges whose author is not trusted, in the text that is split: sorted, disjoint. A control
/// token (see AddedTokens::is_control) that overlaps one is text.
struct Untrusted {
  std::span<const Span> ranges;
  std::size_t* neutralised = nullptr;  // counts control tokens kept as text; may be null
};

class AddedTokens {
 public:
  /// `normalize` maps a content as the tokenizer's normalizer does; may be empty. `edges` are the
  /// character classes for single_word and strip rules. Throws Error{unsupported} naming the token
  /// when the normalizer leaves nothing of it (the reference then cuts the text between all bytes).
  static AddedTokens compile(const model::TokenizerSpec& spec, const NormalizeFunction& normalize,
                             const EdgeClasses& edges = reference_edge_classes());

  /// file_default: all for tokenizer.json, none for rank and .model files. none: text that spells a
  /// special token is text; tokens that are not special stay recognised, as with the reference's
  /// encode_special_tokens. list: special tokens not in the list are skipped. Throws Error{usage}
  /// for a name that is no added token and Error{unsupported} for `all` and `list` on .model files.
  SpecialFilter filter(SpecialMode mode, std::span<const std::string> list = {}) const;

  bool splits_raw() const { return !raw_.empty(); }
  bool splits_normalized() const { return !normalized_.empty(); }

  /// Appends the segments of `text` in the reference's order. Empty text gives none.
  void split_raw(std::string_view text, const SpecialFilter& filter, std::vector<Segment>& out,
                 const Untrusted& untrusted = {}) const;
  void split_normalized(std::string_view text, const SpecialFilter& filter,
                        std::vector<Segment>& out, const Untrusted& untrusted = {}) const;

  /// The search may be run on both sides of byte `at` of `text` alone: in every longer text that
  /// holds `text`, no literal lies across `at`, touches it or takes white space from across it.
  /// Needs literals' length of text before `at`; false proves nothing. `*clear_from` becomes a
  /// border of characters before `at` behind which no literal ends: `clear` bytes before `at` when
  /// none ends there and there is so much text, and the literals' length before that. Which
  /// literals are switched off does not matter: none is assumed to be.
  bool parts_raw_at(std::string_view text, std::size_t at, std::size_t clear,
                    std::size_t* clear_from) const {
    return parts_at(raw_, raw_reach_, text, at, clear, clear_from);
  }
  bool parts_normalized_at(std::string_view text, std::size_t at, std::size_t clear,
                           std::size_t* clear_from) const {
    return parts_at(normalized_, normalized_reach_, text, at, clear, clear_from);
  }

  const AddedTable& table() const { return table_; }

  /// The token must not come from untrusted text: it is special, or its content is more than words
  /// and white space (turn marks are often not flagged special; letters and newline runs are
  /// ordinary vocabulary).
  bool is_control(TokenId id) const;

  /// How a pass may look beyond a literal: for sessions that keep a prefix.
  struct Reach {
    std::size_t longest = 0;  // bytes of the longest literal
    bool lstrip = false;
    bool rstrip = false;
    bool single_word = false;
  };
  Reach raw_reach() const { return raw_reach_; }
  Reach normalized_reach() const { return normalized_reach_; }

 private:
  struct Rule {
    TokenId id = 0;
    bool lstrip = false;
    bool rstrip = false;
    bool single_word = false;
    bool control = false;
    bool ambiguous = false;  // the reference picks one of several ids at random
  };
  void split(const LiteralTrie& trie, std::string_view text, const SpecialFilter& filter,
             std::vector<Segment>& out, const Untrusted& untrusted) const;
  bool parts_at(const LiteralTrie& trie, const Reach& reach, std::string_view text, std::size_t at,
                std::size_t clear, std::size_t* clear_from) const;
  void add_pass(bool normalized, LiteralTrie& trie, Reach& reach);

  AddedTable table_;
  std::vector<Rule> rules_;  // by index in table_.entries()
  LiteralTrie raw_;
  LiteralTrie normalized_;
  Reach raw_reach_;
  Reach normalized_reach_;
  EdgeClasses edges_;
  bool rank_file_ = false;
  bool model_file_ = false;
  bool specials_by_default_ = true;
  std::string path_;
};

/// The parts of `text.text()` that come from the untrusted ranges of the document. Needs a tracked
/// text.
std::vector<Span> untrusted_in(const unicode::AlignedText& text,
                               std::span<const Span> document_ranges);

}  // namespace toktier::added
