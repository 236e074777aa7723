#include "pretok/regex_parser.hpp"

#include "pretok/character_class_parser.hpp"
#include "pretok/pattern_cursor.hpp"
#include "toktier/error.hpp"
#include "unicode/tables/tables.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace toktier::pretok {

using unicode::CodePointSet;

std::uint32_t Ast::intern(CodePointSet set) {
  for (std::uint32_t i = 0; i < sets.size(); ++i) {
    if (sets[i] == set) return i;
  }
  sets.push_back(std::move(set));
  return static_cast<std::uint32_t>(sets.size() - 1);
}

namespace {

struct Flags {
  bool ignore_case = false;
  bool dot_all = false;
};

// (?i) in some engines also matches a character whose full folding is several characters ("ss" and
// U+00DF), both ways. Such a pattern is refused, never guessed; both tests may say "maybe" too
// often.
bool folds_to_several(const unicode::RegexProfile& profile, const CodePointSet& set) {
  for (const unicode::MultiFold& fold : profile.multi_folds()) {
    if (set.contains(fold.code_point)) return true;
  }
  return false;
}

bool part_of_a_folding(const unicode::RegexProfile& profile, char32_t a, char32_t b) {
  if (profile.multi_folds().empty()) return false;
  const CodePointSet first = profile.fold_closure(CodePointSet::of(a, a));
  const CodePointSet second = profile.fold_closure(CodePointSet::of(b, b));
  for (const unicode::MultiFold& fold : profile.multi_folds()) {
    for (int i = 0; i < 2 && fold.folded[i + 1] != 0; ++i) {
      if (first.contains(fold.folded[i]) && second.contains(fold.folded[i + 1])) return true;
    }
  }
  return false;
}

class Parser {
 public:
  Parser(std::string_view pattern, const Dialect& dialect) : in_(pattern), dialect_(dialect) {}

  Ast run() {
    ast_.root = alternation(Flags{}, 0);
    if (!in_.done()) in_.fail_input("unmatched )");
    return std::move(ast_);
  }

 private:
  PatternCursor in_;
  const Dialect& dialect_;
  Ast ast_;
  char32_t last_literal_ = 0;         // the literal just parsed under (?i), or 0
  std::set<std::uint32_t> enclosed_;  // groups that the engine keeps as nodes of their own

  std::uint32_t add(Node node) {
    ast_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(ast_.nodes.size() - 1);
  }
  std::uint32_t add_set(CodePointSet set) {
    Node node;
    node.kind = NodeKind::set;
    node.set = ast_.intern(std::move(set));
    return add(std::move(node));
  }
  std::uint32_t add_anchor(AnchorKind kind) {
    Node node;
    node.kind = NodeKind::anchor;
    node.anchor = kind;
    return add(std::move(node));
  }
  std::uint32_t add_group(NodeKind kind, std::vector<std::uint32_t> kids) {
    if (kids.size() == 1) return kids[0];
    Node node;
    node.kind = kids.empty() ? NodeKind::empty : kind;
    node.kids = std::move(kids);
    return add(std::move(node));
  }

  std::uint32_t alternation(Flags flags, int depth) {
    if (depth > kMaxPatternDepth) in_.fail("groups nested too deeply");
    std::vector<std::uint32_t> arms;
    arms.push_back(concatenation(&flags, depth));
    while (in_.take('|')) arms.push_back(concatenation(&flags, depth));
    return add_group(NodeKind::alternate, std::move(arms));
  }

  // `flags` is the group's: a bare (?i) changes it for the rest of the group.
  std::uint32_t concatenation(Flags* flags, int depth) {
    std::vector<std::uint32_t> parts;
    last_literal_ = 0;
    while (!in_.done() && in_.peek() != '|' && in_.peek() != ')') {
      bool bare_flags = false;
      const std::optional<std::uint32_t> part = atom(flags, depth, &bare_flags);
      if (bare_flags) {
        if (dialect_.bare_flag_takes_alternatives) {
          parts.push_back(alternation(*flags, depth + 1));
          break;
        }
        continue;
      }
      if (part) parts.push_back(quantified(*part));
    }
    last_literal_ = 0;
    return add_group(NodeKind::concat, std::move(parts));
  }

  std::optional<std::uint32_t> atom(Flags* flags, int depth, bool* bare_flags) {
    const char32_t c = in_.next();
    if (c != '\\') {
      const char32_t before = std::exchange(last_literal_, 0);
      switch (c) {
        case '(':
          return group(flags, depth, bare_flags);
        case '[':
          return bracketed(*flags);
        case '.':
          return add_set(flags->dot_all ? CodePointSet::all()
                                        : CodePointSet::of('\n', '\n').complement());
        case '^':
          return add_anchor(dialect_.dollar_at_newline ? AnchorKind::line_start
                                                       : AnchorKind::text_start);
        case '$':
          return add_anchor(dialect_.dollar_at_newline ? AnchorKind::line_end
                                                       : AnchorKind::text_end);
        case '?':
        case '*':
        case '+':
          in_.fail("quantifier without a target");
        case '{':
          if (!dialect_.open_interval) in_.fail("brace without a target");
          break;
        default:
          break;
      }
      last_literal_ = before;
      return literal(c, *flags);
    }
    const bool negative = !in_.done() && in_.peek() >= 'A' && in_.peek() <= 'Z';
    if (const auto set = parse_class_escape(in_, dialect_, false)) {
      last_literal_ = 0;
      return add_set(escape_set(*set, negative, *flags));
    }
    if (const auto anchor = anchor_escape()) {
      last_literal_ = 0;
      return add_anchor(*anchor);
    }
    return literal(parse_character_escape(in_, dialect_, false), *flags);
  }

  std::optional<AnchorKind> anchor_escape() {
    const auto anchor = [this]() -> std::optional<AnchorKind> {
      switch (in_.done() ? U'\0' : in_.peek()) {
        case 'A':
          return AnchorKind::text_start;
        case 'z':
          return AnchorKind::text_end;
        case 'Z':
          return AnchorKind::text_end_or_last_newline;
        case 'b':
          return AnchorKind::word_edge;
        case 'B':
          return AnchorKind::not_word_edge;
        default:
          return std::nullopt;
      }
    }();
    if (anchor) in_.next();
    return anchor;
  }

  std::uint32_t literal(char32_t c, const Flags& flags) {
    if (flags.ignore_case && last_literal_ != 0 &&
        part_of_a_folding(*dialect_.profile, last_literal_, c)) {
      in_.fail("(?i) over letters that are the folding of one character");
    }
    last_literal_ = flags.ignore_case ? c : 0;
    return add_set(folded(CodePointSet::of(c, c), flags));
  }

  // Both engines fold the members of a class first and negate then.
  std::uint32_t bracketed(const Flags& flags) {
    bool negative = false;
    const CodePointSet members = parse_character_class(in_, dialect_, &negative);
    const CodePointSet set = folded(members, flags);
    return add_set(negative ? set.complement() : set);
  }

  // `\p{..}` and its kind outside of brackets: Oniguruma does not fold them at all.
  CodePointSet escape_set(const CodePointSet& set, bool negative, const Flags& flags) {
    if (!flags.ignore_case || !dialect_.folds_escapes) return set;
    return negative ? folded(set.complement(), flags).complement() : folded(set, flags);
  }

  CodePointSet folded(const CodePointSet& set, const Flags& flags) {
    if (!flags.ignore_case) return set;
    if (folds_to_several(*dialect_.profile, set)) {
      in_.fail("(?i) over a character whose folding has several characters");
    }
    return dialect_.profile->fold_closure(set);
  }

  std::optional<std::uint32_t> group(Flags* flags, int depth, bool* bare_flags) {
    Flags inner = *flags;
    Node node;
    if (!in_.take('?')) return enclosed(closed(alternation(inner, depth + 1)));
    if (in_.take(':')) return closed(alternation(inner, depth + 1));
    if (in_.take('#')) {
      while (!in_.done() && in_.peek() != ')') in_.next();
      closed(0);
      return std::nullopt;
    }
    if (in_.peek_is('=') || in_.peek_is('!')) {
      node.kind = NodeKind::look_ahead;
      node.negative = in_.next() == '!';
      node.kids = {closed(alternation(inner, depth + 1))};
      return add(std::move(node));
    }
    if (in_.take('>')) {
      node.kind = NodeKind::atomic;
      node.kids = {closed(alternation(inner, depth + 1))};
      return enclosed(add(std::move(node)));
    }
    if (in_.take('<')) return after_less(inner, depth);
    if (in_.peek_is('P')) in_.fail("(?P...) group");
    read_flags(&inner);
    if (in_.take(')')) {
      *flags = inner;
      *bare_flags = true;
      return std::nullopt;
    }
    if (!in_.take(':')) in_.fail("group of an unknown kind");
    return enclosed(closed(alternation(inner, depth + 1)));
  }

  std::uint32_t after_less(const Flags& flags, int depth) {
    if (!in_.peek_is('=') && !in_.peek_is('!')) {  // a named group: the name is not used
      while (!in_.done() && in_.peek() != '>') in_.next();
      if (!in_.take('>')) in_.fail_input("unterminated group name");
      return enclosed(closed(alternation(flags, depth + 1)));
    }
    Node node;
    node.kind = NodeKind::look_behind;
    node.negative = in_.next() == '!';
    const std::uint32_t body = closed(alternation(flags, depth + 1));
    const auto set = as_one_set(body);
    if (!set) in_.fail("look-behind of more than one character");
    node.set = ast_.intern(*set);
    return add(std::move(node));
  }

  void read_flags(Flags* flags) {
    bool on = true;
    while (!in_.done() && in_.peek() != ')' && in_.peek() != ':') {
      const char32_t c = in_.next();
      if (c == '-') {
        on = false;
      } else if (c == 'i') {
        flags->ignore_case = on;
      } else if (c == static_cast<char32_t>(dialect_.dot_all_flag)) {
        flags->dot_all = on;
      } else {
        in_.fail("inline flag other than i");
      }
    }
  }

  /// Marks a group that captures or has options: its body is no assertion to the engine.
  std::uint32_t enclosed(std::uint32_t node) {
    enclosed_.insert(node);
    return node;
  }

  /// Alternatives, perhaps nested, one of which is an assertion alone.
  bool has_assertion_arm(std::uint32_t index) const {
    const Node& node = ast_.nodes[index];
    if (node.kind != NodeKind::alternate || enclosed_.count(index) > 0) return false;
    return std::any_of(node.kids.begin(), node.kids.end(), [this](std::uint32_t kid) {
      const NodeKind kind = ast_.nodes[kid].kind;
      const bool assertion =
          kind == NodeKind::anchor || kind == NodeKind::look_ahead || kind == NodeKind::look_behind;
      return enclosed_.count(kid) == 0 && (assertion || has_assertion_arm(kid));
    });
  }

  std::uint32_t closed(std::uint32_t node) {
    if (!in_.take(')')) in_.fail_input("missing )");
    last_literal_ = 0;
    return node;
  }

  /// The union when the node is one character from a set, or alternatives of such.
  std::optional<CodePointSet> as_one_set(std::uint32_t index) const {
    const Node& node = ast_.nodes[index];
    if (node.kind == NodeKind::set) return ast_.sets[node.set];
    if (node.kind != NodeKind::alternate) return std::nullopt;
    CodePointSet all;
    for (const std::uint32_t kid : node.kids) {
      if (ast_.nodes[kid].kind != NodeKind::set) return std::nullopt;
      all = all.united(ast_.sets[ast_.nodes[kid].set]);
    }
    return all;
  }

  std::uint32_t quantified(std::uint32_t target) {
    bool again = false;
    for (;;) {
      Node node;
      node.kind = NodeKind::repeat;
      bool interval = false;
      if (in_.take('?')) {
        node.max = 1;
      } else if (in_.take('*')) {
        node.max = kNoLimit;
      } else if (in_.take('+')) {
        node.min = 1;
        node.max = kNoLimit;
      } else if (in_.peek_is('{') && read_interval(&node)) {
        interval = true;
      } else {
        return target;
      }
      if (again) in_.fail("quantifier of a quantifier");
      again = true;
      last_literal_ = 0;
      const NodeKind kind = ast_.nodes[target].kind;
      if (kind == NodeKind::anchor || kind == NodeKind::look_ahead ||
          kind == NodeKind::look_behind) {
        in_.fail("quantifier of an assertion");
      }
      if (dialect_.refuses_assertion_arms && has_assertion_arm(target)) {
        in_.fail_input("quantifier of alternatives with an assertion alone");
      }
      node.kids = {target};
      suffix(&node, interval);
      target = add(std::move(node));
    }
  }

  // The sign after a quantifier. In Ruby syntax an interval takes neither sign: they are
  // quantifiers of their own.
  void suffix(Node* node, bool interval) {
    if (in_.peek_is('?')) {
      if (interval && node->min == node->max && !dialect_.lazy_fixed_interval) {
        in_.next();
        wrap(node, 0, 1);
        return;
      }
      in_.next();
      node->greed = Greed::lazy;
    } else if (in_.peek_is('+')) {
      in_.next();
      if (interval && !dialect_.possessive_interval) {
        wrap(node, 1, kNoLimit);
      } else {
        node->greed = Greed::possessive;
      }
    }
  }

  void wrap(Node* node, std::uint32_t min, std::uint32_t max) {
    Node outer;
    outer.kind = NodeKind::repeat;
    outer.min = min;
    outer.max = max;
    outer.kids = {add(std::move(*node))};
    *node = std::move(outer);
  }

  bool read_interval(Node* node) {
    const std::size_t start = in_.offset();
    in_.next();
    const std::optional<std::uint32_t> min = in_.number(kMaxRepeat);
    std::optional<std::uint32_t> max = min;
    bool good = min.has_value();
    if (in_.take(',')) {
      max = in_.number(kMaxRepeat);
      good = min || (max && dialect_.open_interval);
    }
    if (!good || !in_.take('}')) {
      if (!dialect_.open_interval) in_.fail("brace that starts no interval");
      in_.rewind(start);
      return false;
    }
    node->min = min.value_or(0);
    node->max = max.value_or(kNoLimit);
    if (node->max < node->min) in_.fail("interval with its ends swapped");
    return true;
  }
};

}  // namespace

Ast parse_regex(std::string_view pattern, const Dialect& dialect) {
  if (pattern.size() > kMaxPatternBytes) {
    throw Error(ErrorCode::unsupported, "regular expression longer than 64 KiB");
  }
  if (unicode::find_invalid_utf8(pattern)) {
    throw Error(ErrorCode::input, "regular expression is not UTF-8");
  }
  return Parser(pattern, dialect).run();
}

}  // namespace toktier::pretok
