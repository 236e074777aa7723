#pragma once
// One step of a normalizer chain. Each kind lives in a file of its own and is made by the function
// named here.

#include "model/spec.hpp"
#include "normalize/border.hpp"
#include "normalize/regex_finder.hpp"
#include "unicode/aligned_text.hpp"
#include "unicode/normalization_data.hpp"

#include <memory>
#include <string>
#include <vector>

namespace toktier::normalize {

/// Immutable; run() may be called from several threads, each with a text of its own.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(unicode::AlignedText& text) const = 0;
  /// run() on a part of a text that goes on at the open ends: nothing is done there.
  virtual void run_open(unicode::AlignedText& text, Open) const { run(text); }
  /// See Normalizer::apart(): true when the border is one for this step, whose output's characters
  /// then stand in `border`. The default knows nothing.
  virtual bool apart(Border&) const { return false; }
  /// Puts something before or behind whole texts.
  virtual bool extends() const { return false; }
  /// run() goes through AlignedText::Transform, which a text extended before sends another way.
  virtual bool transforms() const { return true; }
};
using StepPointer = std::unique_ptr<const Step>;

/// The rule of steps that rewrite each character by itself, whatever stands beside it: what becomes
/// of the characters at a border. `step` is run on them one by one.
bool apart_by_character(const Step& step, Border& border);

StepPointer make_form(unicode::NormalForm form);
StepPointer make_nmt();
StepPointer make_strip_accents();
StepPointer make_lowercase();
StepPointer make_prepend(const std::string& content);
StepPointer make_append(const std::string& content);
StepPointer make_replace_string(const std::string& pattern, const std::string& content);
StepPointer make_replace_regex(std::unique_ptr<const RegexFinder> finder,
                               const std::string& content);
StepPointer make_strip(bool left, bool right);
StepPointer make_precompiled(const std::string& charsmap);
StepPointer make_byte_level();
StepPointer make_sentencepiece(const model::NormSentencePiece& spec,
                               const std::vector<std::string>& kept_literals);

// The parts of the BertNormalizer, run in this order.
StepPointer make_bert_clean();
StepPointer make_bert_chinese();
StepPointer make_drop_nonspacing();  // after make_form(nfd)

}  // namespace toktier::normalize
