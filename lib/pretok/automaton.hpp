#pragma once
// The leftmost-first automaton of a pattern over its character classes.
//
// Source: ordered thread lists (Pike), determinised. A state is the list of instructions *before*
// the empty moves are followed; they are followed when the next symbol is known, so a one-character
// look-ahead is decided exactly and a match is reported one symbol late. Exact because the list is
// in backtracking order and everything after a match is dropped: what remains is what a
// backtracking engine would still prefer to that match.
//
// Immutable after building; shared by threads.

#include "pretok/class_map.hpp"
#include "pretok/regex_program.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace toktier::pretok {

class Automaton {
 public:
  static constexpr std::uint16_t kMatch = 0x8000;  // a match ends just before this symbol
  static constexpr std::uint16_t kDead = 0x7FFF;   // no thread is left
  static constexpr std::size_t kMaxStates = 3000;

  Automaton() = default;
  Automaton(ClassMap map, std::uint32_t states, std::vector<std::uint16_t> delta)
      : map_(std::move(map)), states_(states), delta_(std::move(delta)) {}

  const ClassMap& map() const { return map_; }
  std::uint32_t states() const { return states_; }
  /// Symbols are the classes, then the end of the text.
  std::uint32_t symbols() const { return map_.classes() + 1; }
  std::uint32_t end_symbol() const { return map_.classes(); }
  /// State 0 is the start.
  std::uint16_t raw(std::uint32_t state, std::uint32_t symbol) const {
    return delta_[state * symbols() + symbol];
  }
  bool matched(std::uint32_t state, std::uint32_t symbol) const {
    return (raw(state, symbol) & kMatch) != 0;
  }
  std::uint16_t next(std::uint32_t state, std::uint32_t symbol) const {
    return raw(state, symbol) & static_cast<std::uint16_t>(~kMatch);
  }
  bool alive(std::uint32_t state, std::uint32_t symbol) const {
    return next(state, symbol) != kDead;
  }

 private:
  ClassMap map_;
  std::uint32_t states_ = 0;
  std::vector<std::uint16_t> delta_;
};

/// Returns nothing, and the reason in `*refusal`, when the program is not one for an automaton (or
/// grows past kMaxStates).
std::unique_ptr<Automaton> build_automaton(const Program& program, std::string* refusal);

/// The smallest automaton with the same answers (Moore). State 0 stays the start.
void minimise(std::uint32_t symbols, std::uint32_t* states, std::vector<std::uint16_t>* delta);

}  // namespace toktier::pretok
