#pragma once
// A compiled pattern with the engine that runs it: the automaton where it can, else the
// backtracker. Immutable after compile(); find_all may be called by many threads, each with its own
// scratch.

#include "pretok/automaton.hpp"
#include "pretok/backtracker.hpp"
#include "pretok/regex_dialect.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::pretok {

/// One stretch of the text: a match or what stands between matches. Bytes.
struct Stretch {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool match = false;
};

/// The end of the match that starts at `at`, or kNoMatch. `*reach` becomes the end of the last
/// character looked at (text.size() + 1 when the end of the text was looked at), if that is
/// further.
inline constexpr std::uint32_t kNoMatch = 0xFFFFFFFF;
std::uint32_t automaton_match(const Automaton& automaton, std::string_view text, std::uint32_t at,
                              std::uint32_t* reach);

class Matcher {
 public:
  /// Throws what the parser and compile_program throw.
  static Matcher compile(std::string_view pattern, const Dialect& dialect);
  /// The pattern that is exactly this string; the empty string matches (emptily) everywhere.
  static Matcher literal(std::string_view text);
  static Matcher from_ast(Ast ast);

  /// Tiles `text` with matches and the gaps between them, as the find_iter of the reference does:
  /// left to right, an empty match directly after a match is passed over. Empty stretches (of empty
  /// matches) are included.
  void find_all(std::string_view text, std::vector<Stretch>& out) const;

  const Automaton* automaton() const { return automaton_.get(); }
  const Program& program() const { return *program_; }
  /// Why there is no automaton; empty when there is one.
  const std::string& refusal() const { return refusal_; }

 private:
  std::unique_ptr<const Program> program_;
  std::unique_ptr<const Automaton> automaton_;
  std::string refusal_;

  void find_all_slow(std::string_view text, std::vector<Stretch>& out) const;
};

}  // namespace toktier::pretok
