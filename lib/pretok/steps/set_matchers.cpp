#include "pretok/steps/step.hpp"

#include <utility>

namespace toktier::pretok {

namespace {

Ast set_ast(const unicode::CodePointSet& set) {
  Ast ast;
  Node node;
  node.kind = NodeKind::set;
  node.set = ast.intern(set);
  ast.nodes.push_back(std::move(node));
  return ast;
}

}  // namespace

Matcher match_set(const unicode::CodePointSet& set) { return Matcher::from_ast(set_ast(set)); }

Matcher match_runs(const unicode::CodePointSet& set) {
  Ast ast = set_ast(set);
  Node run;
  run.kind = NodeKind::repeat;
  run.min = 1;
  run.max = kNoLimit;
  run.kids = {0};
  ast.nodes.push_back(std::move(run));
  ast.root = 1;
  return Matcher::from_ast(std::move(ast));
}

}  // namespace toktier::pretok
