#pragma once
// Texts that a SentencePiece-style file would rewrite, read as they stand.
//
// Such a file writes every blank as the word mark U+2581 (a Replace step, or Metaspace), three
// bytes for one, and perhaps puts one more in front. A model that takes a blank for one more way to
// write the mark gives the same ids for the text as it stands: what it merges are symbols, and the
// symbols are the same. No blank ever reaches the model with another meaning, because that step is
// the last that rewrites. Only for ids: lengths in bytes are those of the rewritten text.

#include "model/spec.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::encode {

class BlankText {
 public:
  /// Empty unless the file's normalizers and pre-tokenizers do nothing to a text but this (for
  /// texts that reads() accepts) and make one piece of it, and the model can take it.
  static std::optional<BlankText> of(const model::TokenizerSpec& spec);

  /// False: this text holds what other steps look for and must go through them.
  bool reads(std::string_view text) const {
    for (const std::string& string : absent_)
      if (text.find(string) != std::string_view::npos) return false;
    return true;
  }
  /// Of a text that is not empty: one more mark stands in front of it. `at_begin`: the document
  /// begins with it.
  bool wants_front(std::string_view text, bool at_begin) const;

 private:
  enum class Front { never, always, unless_blank, unless_blank_at_begin };
  bool read_normalizers(const model::TokenizerSpec& spec);
  bool read_pre_tokenizers(const model::TokenizerSpec& spec);

  Front front_ = Front::never;
  bool rewrites_ = false;            // a step turns blanks into marks
  std::vector<std::string> absent_;  // what texts must not hold
};

}  // namespace toktier::encode
