#include "pretok/gapless.hpp"

#include <map>
#include <utility>

namespace toktier::pretok {

Table table_of(const Automaton& automaton) {
  Table t;
  t.symbols = automaton.symbols();
  t.states = automaton.states();
  t.delta.reserve(static_cast<std::size_t>(t.states) * t.symbols);
  for (std::uint32_t s = 0; s < t.states; ++s) {
    for (std::uint32_t c = 0; c < t.symbols; ++c) t.delta.push_back(automaton.raw(s, c));
  }
  return t;
}

namespace {

// By state: an attempt in this state, with nothing matched so far, can still die.
std::vector<bool> can_fail(const Table& t) {
  std::vector<bool> fails(t.states, false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t s = 0; s < t.states; ++s) {
      for (std::uint32_t c = 0; c < t.symbols && !fails[s]; ++c) {
        if (t.matched(s, c)) continue;
        const std::uint16_t next = t.next(s, c);
        if (next != Automaton::kDead && !fails[next]) continue;
        fails[s] = true;
        changed = true;
      }
    }
  }
  return fails;
}

}  // namespace

bool always_matches(const Table& t) {
  const std::vector<bool> fails = can_fail(t);
  for (std::uint32_t c = 0; c + 1 < t.symbols; ++c) {
    const std::uint16_t next = t.next(0, c);
    if (next == Automaton::kDead || fails[next]) return false;
  }
  return true;
}

bool close_gaps(Table* table) {
  const Table& t = *table;
  const std::vector<bool> fails = can_fail(t);
  const std::uint32_t end = t.symbols - 1;
  // New states: the old ones; the old ones as "gap, and this attempt at its last character may
  // still match"; the gap whose last character is surely in it. An attempt fails after one more
  // symbol or not at all.
  const std::uint32_t sure_gap = 2 * t.states;
  Table out;
  out.symbols = t.symbols;
  out.states = 2 * t.states + 1;
  out.delta.assign(static_cast<std::size_t>(out.states) * out.symbols, Automaton::kDead);
  const auto target = [&out](std::uint32_t s, std::uint32_t c) -> std::uint16_t& {
    return out.delta[s * out.symbols + c];
  };
  std::vector<bool> first(t.states, false);  // states after the first character of an attempt
  for (std::uint32_t c = 0; c < end; ++c) {
    const std::uint16_t q = t.next(0, c);
    target(0, c) = static_cast<std::uint16_t>(sure_gap);
    if (q == Automaton::kDead) continue;
    first[q] = true;
    target(0, c) = q;
  }
  // What happens to the gap that ends before `c`: `c` belongs to it, may belong to it, or surely
  // starts a match.
  const auto extend = [&](std::uint32_t c) -> std::uint16_t {
    if (c == end) return Automaton::kDead | Automaton::kMatch;
    const std::uint16_t q = t.next(0, c);
    if (q == Automaton::kDead) return static_cast<std::uint16_t>(sure_gap | Automaton::kMatch);
    if (!fails[q]) return Automaton::kDead | Automaton::kMatch;
    return static_cast<std::uint16_t>((t.states + q) | Automaton::kMatch);
  };
  for (std::uint32_t c = 0; c < t.symbols; ++c) target(sure_gap, c) = extend(c);
  for (std::uint32_t s = 1; s < t.states; ++s) {
    for (std::uint32_t c = 0; c < t.symbols; ++c) {
      const bool dies = !t.matched(s, c) && t.next(s, c) == Automaton::kDead;
      // As a plain state with nothing matched (only states after a first character can fail,
      // checked below).
      target(s, c) = t.raw(s, c);
      if (first[s] && dies) target(s, c) = extend(c);
      // As the attempt at the last character of a gap.
      if (dies) {
        target(t.states + s, c) = extend(c);
      } else {
        target(t.states + s, c) =
            Automaton::kDead;  // it matches, or surely will: the gap ended before it
      }
    }
  }
  // The two assumptions: a state after a first character is never met again with a match behind it,
  // and an attempt that survives its second symbol matches.
  for (std::uint32_t s = 0; s < t.states; ++s) {
    for (std::uint32_t c = 0; c < t.symbols; ++c) {
      const std::uint16_t next = t.next(s, c);
      if (next == Automaton::kDead) continue;
      if (s != 0 && first[next] && fails[next]) return false;
      if (first[s] && fails[s] && !t.matched(s, c) && fails[next]) return false;
    }
  }
  *table = std::move(out);
  return true;
}

}  // namespace toktier::pretok
