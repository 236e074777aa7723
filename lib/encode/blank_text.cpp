#include "encode/blank_text.hpp"

#include "bpe/model.hpp"

namespace toktier::encode {

using bpe::kWordMark;

std::optional<BlankText> BlankText::of(const model::TokenizerSpec& spec) {
  if (spec.reference != model::Reference::hf_tokenizers || !bpe::can_read_blanks(spec)) return {};
  BlankText text;
  if (!text.read_normalizers(spec) || !text.read_pre_tokenizers(spec) || !text.rewrites_) return {};
  return text;
}

// Replacements of strings, which do nothing where those do not occur; Prepend of the mark; the
// replacement of the blank by the mark, at the end.
bool BlankText::read_normalizers(const model::TokenizerSpec& spec) {
  for (const model::Normalizer& step : spec.normalizers) {
    if (rewrites_) return false;
    if (const auto* prepend = std::get_if<model::NormPrepend>(&step)) {
      if (prepend->text != kWordMark || front_ != Front::never) return false;
      front_ = Front::always;
      continue;
    }
    const auto* replace = std::get_if<model::NormReplace>(&step);
    if (replace == nullptr || replace->pattern.is_regex || replace->pattern.text.empty())
      return false;
    if (replace->pattern.text == " ") {
      if (replace->content != kWordMark) return false;
      rewrites_ = true;
    } else {
      // Whether it occurs is asked of the text without a front.
      if (front_ != Front::never) return false;
      absent_.push_back(replace->pattern.text);
    }
  }
  return front_ == Front::never || rewrites_;
}

// Splits at strings, none of which occurs; or Metaspace alone, without a split of its own.
bool BlankText::read_pre_tokenizers(const model::TokenizerSpec& spec) {
  for (const model::PreTokenizer& step : spec.pre_tokenizers) {
    if (const auto* metaspace = std::get_if<model::PreMetaspace>(&step)) {
      if (spec.pre_tokenizers.size() > 1 || !spec.normalizers.empty()) return false;
      if (metaspace->replacement != kWordMark || metaspace->split) return false;
      rewrites_ = true;
      switch (metaspace->prepend_scheme) {
        case model::PrependScheme::never:
          front_ = Front::never;
          break;
        case model::PrependScheme::always:
          front_ = Front::unless_blank;
          break;
        case model::PrependScheme::first:
          front_ = Front::unless_blank_at_begin;
          break;
      }
      return true;
    }
    const auto* split = std::get_if<model::PreSplit>(&step);
    if (split == nullptr || split->pattern.is_regex || split->pattern.text.empty() || split->invert)
      return false;
    const std::string& pattern = split->pattern.text;
    if (pattern.find(' ') != std::string::npos) continue;  // no rewritten text holds a blank
    // Written alike in the rewritten text and in the text as it stands.
    if (pattern.find(kWordMark) != std::string::npos) return false;
    absent_.push_back(pattern);
  }
  return true;
}

bool BlankText::wants_front(std::string_view text, bool at_begin) const {
  switch (front_) {
    case Front::never:
      return false;
    case Front::always:
      return true;
    case Front::unless_blank_at_begin:
      if (!at_begin) return false;
      break;
    case Front::unless_blank:
      break;
  }
  return text[0] != ' ' && !text.starts_with(kWordMark);
}

}  // namespace toktier::encode
