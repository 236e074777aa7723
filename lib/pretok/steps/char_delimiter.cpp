// CharDelimiterSplit: one character, removed.

#include "pretok/steps/step.hpp"

namespace toktier::pretok {

void add_step(const model::PreCharDelimiterSplit& spec, const Dialect&, StepList& steps) {
  steps.push_back(std::make_unique<PatternStep>(
      match_set(unicode::CodePointSet::of(spec.delimiter, spec.delimiter)),
      model::SplitBehavior::removed, false));
}

}  // namespace toktier::pretok
