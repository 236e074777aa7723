// BertPreTokenizer: blanks removed, then punctuation isolated.

#include "pretok/steps/step.hpp"
#include "unicode/rust_tables.hpp"

namespace toktier::pretok {

void add_step(const model::PreBert&, const Dialect&, StepList& steps) {
  steps.push_back(std::make_unique<PatternStep>(match_set(unicode::rust::bert_white_space()),
                                                model::SplitBehavior::removed, false));
  steps.push_back(std::make_unique<PatternStep>(match_set(unicode::rust::bert_punctuation()),
                                                model::SplitBehavior::isolated, false));
}

}  // namespace toktier::pretok
