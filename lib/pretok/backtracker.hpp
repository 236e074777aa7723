#pragma once
// The slow exact engine: a backtracking matcher over the same program, for patterns the automaton
// refuses.
//
// Explicit stack, so no recursion grows with the text. Every branch (instruction, position) that
// has failed is remembered for the whole text: failing does not depend on how the branch was
// reached (there are no back-references), so each is tried once and time and memory are linear in
// text x program. Sub-programs (look-ahead, atomic) nest as deep as the pattern does.

#include "pretok/regex_program.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace toktier::pretok {

class Backtracker {
 public:
  /// `program` must outlive it.
  explicit Backtracker(const Program& program);

  /// Starts over on `text` (well-formed UTF-8, must outlive the calls of match()).
  void reset(std::string_view text);
  /// The end of the leftmost-first match that starts at byte `at`, a character boundary.
  std::optional<std::uint32_t> match(std::uint32_t at);
  /// Instructions run since reset(): the measure of work that tests bound.
  std::uint64_t steps() const { return steps_; }

 private:
  struct Frame {
    std::uint32_t pc;
    std::uint32_t at;
    bool leave;  // popped when everything below the branch has failed
  };

  const Program& program_;
  std::vector<std::uint32_t> ordinal_;  // by instruction: its number among the branches
  std::size_t branches_ = 0;
  std::string_view text_;
  std::vector<std::uint64_t> failed_;  // bits, branch number + branches_ * position
  std::unordered_map<std::size_t, std::uint32_t>
      ends_;  // the same, of those that led to a match: its end
  std::vector<Frame> stack_;
  std::uint64_t steps_ = 0;

  std::optional<std::uint32_t> run(std::uint32_t pc, std::uint32_t at);
  std::uint32_t succeed(std::size_t base, std::uint32_t end);
  std::size_t bit(std::uint32_t pc, std::uint32_t at) const {
    return ordinal_[pc] + branches_ * at;
  }
  bool before(const Inst& inst, std::uint32_t at) const;
};

}  // namespace toktier::pretok
