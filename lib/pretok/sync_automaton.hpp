#pragma once
// Where a piece boundary is certain whatever stands to the left.
//
// A state is a set T of automaton states: all those in which a committed match may be just before
// the next character, and 0 while an attempt may start there. From T on class c:
//   every q in T but 0: if delta(q, c) lives, a piece may span this position; if a match may end
//   here, an attempt may start here; if neither, q was no committed state and is dropped; when
//   nothing can span the position, the boundary is certain.
// Claim: when `certain` is raised before a character, an attempt of the true scan starts exactly
// there, in any text with these characters before it. By induction T holds the true state: inside a
// match it moves by delta, the match ends only where delta reports one, and the automaton tiles the
// text, so each end is a start. Sets too large cost density, never truth. verify() re-checks the
// induction over the finite product.
//
// Immutable; shared by threads.

#include "pretok/automaton.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::pretok {

class SyncAutomaton {
 public:
  static constexpr std::uint16_t kCertain = 0x8000;
  static constexpr std::size_t kMaxStates = 4000;

  /// `automaton` must tile every text and outlive this. Throws Error{unsupported} past kMaxStates.
  explicit SyncAutomaton(const Automaton& automaton);

  std::uint32_t states() const { return static_cast<std::uint32_t>(sets_.size()); }
  /// State 0 knows nothing. The next state; kCertain: a boundary stands before this symbol.
  std::uint16_t raw(std::uint32_t state, std::uint32_t symbol) const {
    return delta_[state * symbols_ + symbol];
  }

  /// The first certain boundary at or after byte `from`, from the text at and after `from` alone;
  /// text.size() when there is none before. `from` may be inside a character.
  std::uint32_t boundary_from(std::string_view text, std::uint32_t from) const;

  /// Every pair (true state, sync state) that can occur has the true state in the set, and no
  /// certain boundary inside a match. Empty when so, else what was found.
  std::string verify() const;

 private:
  const Automaton& automaton_;
  std::uint32_t symbols_;
  std::vector<std::vector<std::uint16_t>> sets_;  // by state: sorted automaton states
  std::vector<std::uint16_t> delta_;
};

}  // namespace toktier::pretok
