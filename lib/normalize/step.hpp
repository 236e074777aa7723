#pragma once
// One step of a normalizer chain. Each kind lives in a file of its own and is made by the function
// named here.

#include "model/spec.hpp"
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
};
using StepPointer = std::unique_ptr<const Step>;

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
