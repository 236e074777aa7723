// Split: a literal string or a pattern, one of five behaviours.

#include "pretok/steps/step.hpp"
#include "toktier/error.hpp"

namespace toktier::pretok {

void add_step(const model::PreSplit& spec, const Dialect& dialect, StepList& steps) {
  try {
    Matcher matcher = spec.pattern.is_regex ? Matcher::compile(spec.pattern.text, dialect)
                                            : Matcher::literal(spec.pattern.text);
    steps.push_back(std::make_unique<PatternStep>(std::move(matcher), spec.behavior, spec.invert));
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), spec.pattern.field);
  }
}

}  // namespace toktier::pretok
