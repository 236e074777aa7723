#pragma once
// From the tokens of one document to what the caller gets: truncation, post-processors, padding, in
// that order.
//
// Rules of the reference (tokenizers 0.23.3, single plain encode), checked against the running
// engine:
//  - truncation leaves max_length tokens, less the tokens the post-processors add when they are
//  added; when that
//    would be negative, nothing is truncated at all (the reference's subtraction wraps). Stride
//    only shapes the overflow parts, which are not kept here, but must be smaller than what is
//    left. Strategy only_second fails when there is something to cut;
//  - trim_offsets shortens spans by the white space at the ends of the token TEXT, also when no
//  special token is
//    added; with add_prefix_space one leading blank of the first token stays;
//  - padding goes to the fixed length, then up to the multiple; without a fixed length only the
//  multiple counts.
// Type ids do not exist here.
//
// Immutable after compile(); shared among threads.

#include "added/added_table.hpp"
#include "model/spec.hpp"
#include "post/plan.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::post {

/// The text of a token where it is not the vocabulary's: an added token that took white space
/// beside it (the text is then that of its segment, normalized), an unknown piece. Sorted by index.
struct TokenText {
  std::size_t index = 0;  // in ids, before truncation
  std::string_view text;
};

struct PostOptions {
  bool add_special = false;
  bool limits = true;  // truncation and padding as the file says
};

struct PostResult {
  std::size_t truncated = 0;  // tokens cut off
  std::size_t padded = 0;     // tokens added by padding
  friend bool operator==(const PostResult&, const PostResult&) = default;
};

class PostProcessor {
 public:
  static PostProcessor compile(const model::TokenizerSpec& spec, const added::AddedTable& added);

  /// Works in place. `spans` (null: not wanted) has one entry an id: byte ranges of `document`.
  /// `texts` is used only with spans, and only when trims_spans(). Throws Error{unsupported} for
  /// chains that the reference applies to pairs, Error{input} where the reference refuses the
  /// document (truncation that cannot be done).
  PostResult run(std::string_view document, std::span<const TokenText> texts,
                 const PostOptions& options, std::vector<TokenId>& ids,
                 std::vector<Span>* spans) const;

  bool trims_spans() const { return trims_; }
  /// Tokens added around one document.
  std::size_t added_tokens() const { return plans_[1].items.size() - plans_[1].documents; }
  /// With these options ids are only put before and after the document's tokens: what a session may
  /// rely on. False when the document may be cut, padded, or taken more than once.
  bool frames(const PostOptions& options, std::vector<TokenId>* before,
              std::vector<TokenId>* after) const;
  bool changes_nothing(const PostOptions& options) const;  // ids only

 private:
  struct Edges {
    std::uint32_t leading = 0;  // white-space characters at the begin of the text
    std::uint32_t trailing = 0;
  };
  static Edges edges_of(std::string_view text);
  Span trimmed(Span span, Edges edges, bool first, bool add_prefix_space,
               std::string_view document) const;
  void trim(std::span<const TokenText> texts, std::size_t offset, const std::vector<Trim>& trims,
            std::string_view document, const std::vector<TokenId>& ids,
            std::vector<Span>& spans) const;
  std::size_t truncate(bool add_special, std::vector<TokenId>& ids, std::vector<Span>* spans,
                       std::size_t* offset) const;
  std::size_t pad(std::vector<TokenId>& ids, std::vector<Span>* spans) const;

  Plan plans_[2];  // without, with special tokens
  std::size_t reserved_ = 0;
  std::optional<model::Truncation> truncation_;
  std::optional<model::Padding> padding_;
  bool trims_ = false;
  std::vector<Edges> edges_;  // by id; only when trims_
  std::string path_;
};

}  // namespace toktier::post
