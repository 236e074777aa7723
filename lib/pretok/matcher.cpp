#include "pretok/matcher.hpp"

#include "pretok/pattern_cursor.hpp"
#include "pretok/regex_parser.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <utility>

namespace toktier::pretok {

std::uint32_t automaton_match(const Automaton& automaton, std::string_view text, std::uint32_t at,
                              std::uint32_t* reach) {
  std::uint32_t state = 0;
  std::uint32_t end = kNoMatch;
  const auto size = static_cast<std::uint32_t>(text.size());
  std::uint32_t seen = at;
  for (;;) {
    std::uint32_t symbol = automaton.end_symbol();
    std::uint32_t length = 1;
    if (at < size) {
      const unicode::Decoded d = unicode::decode(text.data() + at);
      symbol = automaton.map().of(d.code_point);
      length = d.length;
    }
    seen = at + length;
    const std::uint16_t raw = automaton.raw(state, symbol);
    if ((raw & Automaton::kMatch) != 0) end = at;
    state = raw & static_cast<std::uint16_t>(~Automaton::kMatch);
    if (state == Automaton::kDead || at == size) break;
    at += length;
  }
  *reach = std::max(*reach, seen);
  return end;
}

Matcher Matcher::from_ast(Ast ast) {
  Matcher m;
  m.program_ = std::make_unique<const Program>(compile_program(std::move(ast)));
  m.automaton_ = build_automaton(*m.program_, &m.refusal_);
  return m;
}

Matcher Matcher::compile(std::string_view pattern, const Dialect& dialect) {
  Ast ast = parse_regex(pattern, dialect);  // its refusals name the pattern and the place
  try {
    return from_ast(std::move(ast));
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()) + " in \"" + shown_pattern(pattern) + '"',
                error.where());
  }
}

Matcher Matcher::literal(std::string_view text) {
  Ast ast;
  Node all;
  all.kind = text.empty() ? NodeKind::empty : NodeKind::concat;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    at += d.length;
    Node node;
    node.kind = NodeKind::set;
    node.set = ast.intern(unicode::CodePointSet::of(d.code_point, d.code_point));
    ast.nodes.push_back(std::move(node));
    all.kids.push_back(static_cast<std::uint32_t>(ast.nodes.size() - 1));
  }
  ast.nodes.push_back(std::move(all));
  ast.root = static_cast<std::uint32_t>(ast.nodes.size() - 1);
  return from_ast(std::move(ast));
}

void Matcher::find_all(std::string_view text, std::vector<Stretch>& out) const {
  out.clear();
  if (!automaton_) return find_all_slow(text, out);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::uint32_t reach = 0;
  std::uint32_t gap = 0;
  for (std::uint32_t at = 0; at < size;) {
    const std::uint32_t end = automaton_match(*automaton_, text, at, &reach);
    if (end == kNoMatch) {
      at += unicode::decode(text.data() + at).length;
      continue;
    }
    if (gap < at) out.push_back({gap, at, false});
    out.push_back({at, end, true});
    at = gap = end;
  }
  if (gap < size) out.push_back({gap, size, false});
}

void Matcher::find_all_slow(std::string_view text, std::vector<Stretch>& out) const {
  const auto size = static_cast<std::uint32_t>(text.size());
  if (size == 0) return;
  Backtracker engine(*program_);
  engine.reset(text);
  std::uint32_t gap = 0;
  std::uint32_t last_match_end = kNoMatch;
  for (std::uint32_t at = 0; at <= size;) {
    const auto end = engine.match(at);
    if (!end || (*end == at && last_match_end == at)) {
      at += at < size ? unicode::decode(text.data() + at).length : 1;
      continue;
    }
    if (gap < at) out.push_back({gap, at, false});
    out.push_back({at, *end, true});
    at = gap = last_match_end = *end;
  }
  if (gap < size) out.push_back({gap, size, false});
}

}  // namespace toktier::pretok
