// Digits: characters that Rust calls numeric, one by one or in runs.

#include "pretok/steps/step.hpp"
#include "unicode/rust_tables.hpp"

namespace toktier::pretok {

void add_step(const model::PreDigits& spec, const Dialect&, StepList& steps) {
  steps.push_back(std::make_unique<PatternStep>(
      match_set(unicode::rust::numeric()),
      spec.individual_digits ? model::SplitBehavior::isolated : model::SplitBehavior::contiguous,
      false));
}

}  // namespace toktier::pretok
