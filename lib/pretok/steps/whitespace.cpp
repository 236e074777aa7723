// Whitespace (words and runs of signs, by the Rust regex crate) and WhitespaceSplit (what stands
// between blanks).

#include "pretok/steps/step.hpp"
#include "unicode/rust_tables.hpp"

namespace toktier::pretok {

void add_step(const model::PreWhitespace&, const Dialect&, StepList& steps) {
  // \w+|[^\w\s]+ : the runs of two disjoint sets.
  Ast ast;
  Node either;
  either.kind = NodeKind::alternate;
  const auto words = unicode::rust::regex_word();
  for (const auto& set : {words, words.united(unicode::rust::regex_space()).complement()}) {
    Node one;
    one.kind = NodeKind::set;
    one.set = ast.intern(set);
    ast.nodes.push_back(one);
    Node run;
    run.kind = NodeKind::repeat;
    run.min = 1;
    run.max = kNoLimit;
    run.kids = {static_cast<std::uint32_t>(ast.nodes.size() - 1)};
    ast.nodes.push_back(run);
    either.kids.push_back(static_cast<std::uint32_t>(ast.nodes.size() - 1));
  }
  ast.nodes.push_back(either);
  ast.root = static_cast<std::uint32_t>(ast.nodes.size() - 1);
  steps.push_back(std::make_unique<PatternStep>(Matcher::from_ast(std::move(ast)),
                                                model::SplitBehavior::removed, true));
}

void add_step(const model::PreWhitespaceSplit&, const Dialect&, StepList& steps) {
  steps.push_back(std::make_unique<PatternStep>(match_set(unicode::rust::white_space()),
                                                model::SplitBehavior::removed, false));
}

}  // namespace toktier::pretok
