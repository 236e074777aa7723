// Split: a literal string or a pattern, one of five behaviours.

#include "pretok/steps/step.hpp"

namespace toktier::pretok {

void add_step(const model::PreSplit& spec, const Dialect& dialect, StepList& steps) {
  Matcher matcher = spec.pattern.is_regex ? Matcher::compile(spec.pattern.text, dialect)
                                          : Matcher::literal(spec.pattern.text);
  steps.push_back(std::make_unique<PatternStep>(std::move(matcher), spec.behavior, spec.invert));
}

}  // namespace toktier::pretok
