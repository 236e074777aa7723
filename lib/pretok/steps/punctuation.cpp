// Punctuation: ASCII punctuation and the categories P*, one of five behaviours.

#include "pretok/steps/step.hpp"
#include "unicode/rust_tables.hpp"

namespace toktier::pretok {

void add_step(const model::PrePunctuation& spec, const Dialect&, StepList& steps) {
  steps.push_back(
      std::make_unique<PatternStep>(match_set(unicode::rust::punctuation()), spec.behavior, false));
}

}  // namespace toktier::pretok
