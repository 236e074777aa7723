#pragma once
// Automata that tile every text: each attempt matches, so pieces are matches and nothing else.

#include "pretok/automaton.hpp"

#include <memory>
#include <vector>

namespace toktier::pretok {

/// An automaton as a bare table, for constructions.
struct Table {
  std::uint32_t symbols = 0;  // the last is the end of the text
  std::uint32_t states = 0;
  std::vector<std::uint16_t> delta;

  std::uint16_t raw(std::uint32_t state, std::uint32_t symbol) const {
    return delta[state * symbols + symbol];
  }
  std::uint16_t next(std::uint32_t state, std::uint32_t symbol) const {
    return raw(state, symbol) & std::uint16_t{0x7FFF};
  }
  bool matched(std::uint32_t state, std::uint32_t symbol) const {
    return (raw(state, symbol) & Automaton::kMatch) != 0;
  }
};

Table table_of(const Automaton& automaton);

/// True when no attempt can fail, whatever the text.
bool always_matches(const Table& table);

/// The automaton whose matches are the matches of `table` and the maximal gaps between them. Exact
/// when every attempt that fails is known to fail one symbol after its first character; returns
/// false otherwise.
///
/// In a gap the state remembers the attempt at the last character: a match is recorded before each
/// character that may still start one, and stands if that attempt succeeds.
bool close_gaps(Table* table);

}  // namespace toktier::pretok
