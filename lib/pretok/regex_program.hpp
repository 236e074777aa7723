#pragma once
// A pattern as ordered instructions: what both engines (automaton and backtracker) run. Immutable.
//
// Priority is order: of two threads the one that a backtracking engine would try first comes first.

#include "pretok/regex_ast.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toktier::pretok {

enum class Op : std::uint8_t {
  set,    // one character of set x, then pc + 1
  split,  // x, and when that fails y
  jump,   // x
  next,   // the next character is in set x, or (flag) the text ends here
  match,
  // Below: only the backtracker has these.
  before,  // the character before is in set x, or (flag) the text starts here; y = 1: and, past the
           // start of the text, the text does not end here (Oniguruma's ^)
  last_newline,  // the text ends here, or a single newline ends it
  ahead,         // the program at pc + 1 (to its match) matches here, flag: does not; then y
  atomic,        // the first match of the program at pc + 1; then y from its end
};

struct Inst {
  Op op = Op::match;
  bool flag = false;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

struct Program {
  std::vector<Inst> code;  // starts at 0
  std::vector<unicode::CodePointSet> sets;
  bool matches_empty = false;  // may match without consuming
  std::string
      automaton_refusal;  // first construct the automaton does not have; empty: it runs the pattern
};

inline constexpr std::size_t kMaxProgram = 20000;

/// Throws Error{unsupported} for what neither engine runs (loops over a body that may match empty,
/// programs that grow past kMaxProgram).
Program compile_program(Ast ast);

}  // namespace toktier::pretok
