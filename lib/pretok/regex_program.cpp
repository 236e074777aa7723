#include "pretok/regex_program.hpp"

#include "toktier/error.hpp"

#include <optional>
#include <utility>

namespace toktier::pretok {

using unicode::CodePointSet;

namespace {

class Compiler {
 public:
  explicit Compiler(Ast ast) : ast_(std::move(ast)), nullable_(ast_.nodes.size(), 2) {}

  Program run() {
    program_.matches_empty = nullable(ast_.root);
    node(ast_.root);
    emit({Op::match});
    program_.sets = std::move(ast_.sets);
    if (program_.matches_empty) refuse("a pattern that can match the empty string");
    return std::move(program_);
  }

 private:
  Ast ast_;
  Program program_;
  std::vector<std::uint8_t> nullable_;  // 2 = not known yet

  std::uint32_t here() const { return static_cast<std::uint32_t>(program_.code.size()); }

  std::uint32_t emit(Inst inst) {
    if (program_.code.size() >= kMaxProgram) {
      throw Error(ErrorCode::unsupported, "regular expression: repetitions make it too large");
    }
    program_.code.push_back(inst);
    return here() - 1;
  }

  void refuse(const std::string& construct) {
    if (program_.automaton_refusal.empty()) program_.automaton_refusal = construct;
  }

  // Recursion here and below is bounded by kMaxPatternDepth.
  bool nullable(std::uint32_t index) {
    if (nullable_[index] == 2) nullable_[index] = compute_nullable(ast_.nodes[index]) ? 1 : 0;
    return nullable_[index] == 1;
  }

  bool compute_nullable(const Node& n) {
    switch (n.kind) {
      case NodeKind::set:
        return false;
      case NodeKind::concat:
        for (const std::uint32_t kid : n.kids) {
          if (!nullable(kid)) return false;
        }
        return true;
      case NodeKind::alternate:
        for (const std::uint32_t kid : n.kids) {
          if (nullable(kid)) return true;
        }
        return false;
      case NodeKind::repeat:
        return n.min == 0 || nullable(n.kids[0]);
      case NodeKind::atomic:
        return nullable(n.kids[0]);
      default:
        return true;
    }
  }

  void node(std::uint32_t index) {
    const Node& n = ast_.nodes[index];
    switch (n.kind) {
      case NodeKind::empty:
        return;
      case NodeKind::set:
        emit({Op::set, false, n.set, 0});
        return;
      case NodeKind::concat:
        for (const std::uint32_t kid : n.kids) node(kid);
        return;
      case NodeKind::alternate:
        return alternate(n);
      case NodeKind::repeat:
        return repeat(n);
      case NodeKind::look_ahead:
        return look_ahead(n);
      case NodeKind::look_behind:
        refuse("look-behind");
        emit({Op::before, n.negative, n.negative ? complement(n.set) : n.set, 0});
        return;
      case NodeKind::atomic:
        return atomic(n.kids[0]);
      case NodeKind::anchor:
        return anchor(n.anchor);
    }
  }

  std::uint32_t complement(std::uint32_t set) { return ast_.intern(ast_.sets[set].complement()); }

  void alternate(const Node& n) {
    std::vector<std::uint32_t> jumps;
    for (std::size_t i = 0; i < n.kids.size(); ++i) {
      if (i + 1 == n.kids.size()) {
        node(n.kids[i]);
        break;
      }
      const std::uint32_t split = emit({Op::split});
      program_.code[split].x = here();
      node(n.kids[i]);
      jumps.push_back(emit({Op::jump}));
      program_.code[split].y = here();
    }
    for (const std::uint32_t jump : jumps) program_.code[jump].x = here();
  }

  // Emits a split whose "go on" arm is the next instruction; the other arm is set later by land().
  std::uint32_t fork() { return emit({Op::split}); }
  void land(std::uint32_t split, bool lazy, std::uint32_t go_on, std::uint32_t leave) {
    program_.code[split].x = lazy ? leave : go_on;
    program_.code[split].y = lazy ? go_on : leave;
  }

  void repeat(const Node& n) {
    const std::uint32_t body = n.kids[0];
    if (nullable(body) && n.max > 1) {
      throw Error(ErrorCode::unsupported,
                  "regular expression: repetition of a part that can match the empty string");
    }
    if (n.greed == Greed::possessive) return possessive(n);
    const bool lazy = n.greed == Greed::lazy;
    for (std::uint32_t i = 0; i < n.min; ++i) node(body);
    if (n.max == kNoLimit) {
      const std::uint32_t split = fork();
      const std::uint32_t start = here();
      node(body);
      emit({Op::jump, false, split, 0});
      land(split, lazy, start, here());
      return;
    }
    std::vector<std::uint32_t> splits;
    for (std::uint32_t i = n.min; i < n.max; ++i) {
      splits.push_back(fork());
      node(body);
    }
    for (const std::uint32_t split : splits) land(split, lazy, split + 1, here());
  }

  // C++ = C+(?!C) for a set C: a greedy run stops early only before another C, which the look-ahead
  // forbids. With an upper bound, each optional step is "take one more" or "the next is not C".
  void possessive(const Node& n) {
    const Node& body = ast_.nodes[n.kids[0]];
    if (body.kind != NodeKind::set) {
      const std::uint32_t start = emit({Op::atomic});
      refuse("possessive repetition of a group");
      Node greedy = n;
      greedy.greed = Greed::greedy;
      repeat(greedy);
      emit({Op::match});
      program_.code[start].y = here();
      return;
    }
    const std::uint32_t set = body.set;
    const std::uint32_t other = complement(set);
    for (std::uint32_t i = 0; i < n.min; ++i) emit({Op::set, false, set, 0});
    if (n.max == kNoLimit) {
      const std::uint32_t split = fork();
      emit({Op::set, false, set, 0});
      emit({Op::jump, false, split, 0});
      land(split, false, split + 1, here());
      emit({Op::next, true, other, 0});
      return;
    }
    std::vector<std::uint32_t> stops;
    for (std::uint32_t i = n.min; i < n.max; ++i) {
      const std::uint32_t split = fork();
      emit({Op::next, true, other, 0});
      stops.push_back(emit({Op::jump}));
      program_.code[split].x = here();
      program_.code[split].y = split + 1;
      emit({Op::set, false, set, 0});
    }
    for (const std::uint32_t stop : stops) program_.code[stop].x = here();
  }

  std::optional<CodePointSet> one_set(std::uint32_t index) const {
    const Node& n = ast_.nodes[index];
    if (n.kind == NodeKind::set) return ast_.sets[n.set];
    if (n.kind != NodeKind::alternate) return std::nullopt;
    CodePointSet all;
    for (const std::uint32_t kid : n.kids) {
      if (ast_.nodes[kid].kind != NodeKind::set) return std::nullopt;
      all = all.united(ast_.sets[ast_.nodes[kid].set]);
    }
    return all;
  }

  void look_ahead(const Node& n) {
    if (const auto set = one_set(n.kids[0])) {
      emit({Op::next, n.negative, ast_.intern(n.negative ? set->complement() : *set), 0});
      return;
    }
    refuse("look-ahead of more than one character");
    const bool negative = n.negative;
    const std::uint32_t start = emit({Op::ahead, negative, 0, 0});
    node(n.kids[0]);
    emit({Op::match});
    program_.code[start].y = here();
  }

  void atomic(std::uint32_t body) {
    refuse("atomic group");
    const std::uint32_t start = emit({Op::atomic});
    node(body);
    emit({Op::match});
    program_.code[start].y = here();
  }

  void anchor(AnchorKind kind) {
    const CodePointSet newline = CodePointSet::of('\n', '\n');
    switch (kind) {
      case AnchorKind::text_end:
        emit({Op::next, true, ast_.intern(CodePointSet()), 0});
        return;
      case AnchorKind::line_end:
        emit({Op::next, true, ast_.intern(newline), 0});
        return;
      case AnchorKind::text_start:
        refuse("\\A");
        emit({Op::before, true, ast_.intern(CodePointSet()), 0});
        return;
      case AnchorKind::line_start:
        refuse("^");
        emit({Op::before, true, ast_.intern(newline), 1});
        return;
      case AnchorKind::text_end_or_last_newline:
        refuse("\\Z");
        emit({Op::last_newline});
        return;
      case AnchorKind::word_edge:
      case AnchorKind::not_word_edge:
        throw Error(ErrorCode::unsupported, "regular expression: \\b or \\B");
    }
  }
};

}  // namespace

Program compile_program(Ast ast) { return Compiler(std::move(ast)).run(); }

}  // namespace toktier::pretok
