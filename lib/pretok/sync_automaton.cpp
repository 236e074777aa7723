#include "pretok/sync_automaton.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace toktier::pretok {

SyncAutomaton::SyncAutomaton(const Automaton& automaton)
    : automaton_(automaton), symbols_(automaton.symbols()) {
  std::vector<std::uint16_t> all(automaton.states());
  for (std::uint32_t q = 0; q < automaton.states(); ++q) all[q] = static_cast<std::uint16_t>(q);
  std::map<std::vector<std::uint16_t>, std::uint16_t> numbers;
  const auto number = [&](std::vector<std::uint16_t> set) {
    const auto [at, fresh] =
        numbers.emplace(std::move(set), static_cast<std::uint16_t>(sets_.size()));
    if (fresh) sets_.push_back(at->first);
    return at->second;
  };
  number(all);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if (sets_.size() > kMaxStates) {
      throw Error(ErrorCode::unsupported, "sync automaton: more than 4000 states");
    }
    for (std::uint32_t c = 0; c < symbols_; ++c) {
      const std::vector<std::uint16_t> from = sets_[s];
      std::set<std::uint16_t> next;
      bool restart = from.front() == 0;
      bool spans = false;
      for (const std::uint16_t q : from) {
        if (q == 0) continue;
        if (automaton.alive(q, c)) {
          next.insert(automaton.next(q, c));
          spans = true;
        }
        restart = restart || automaton.matched(q, c);
      }
      if (c == automaton.end_symbol()) {
        delta_.push_back(kCertain);  // the text ends: a new one would start from nothing
        continue;
      }
      if (restart || !spans) next.insert(automaton.next(0, c));
      const std::uint16_t target = number({next.begin(), next.end()});
      delta_.push_back(static_cast<std::uint16_t>(target | (spans ? 0 : kCertain)));
    }
  }
}

std::uint32_t SyncAutomaton::boundary_from(std::string_view text, std::uint32_t from) const {
  const auto size = static_cast<std::uint32_t>(text.size());
  if (from == 0) return 0;
  while (from < size && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
  std::uint32_t state = 0;
  for (std::uint32_t at = from; at < size;) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    const std::uint16_t raw = delta_[state * symbols_ + automaton_.map().of(d.code_point)];
    if ((raw & kCertain) != 0) return at;
    state = raw;
    at += d.length;
  }
  return size;
}

std::string SyncAutomaton::verify() const {
  // True states: q != 0, inside a match that will be committed to an end at or after the next
  // symbol. Anything may stand before the place where the sync automaton begins, so every state
  // pairs with its start.
  std::vector<std::pair<std::uint16_t, std::uint16_t>> open;
  std::set<std::pair<std::uint16_t, std::uint16_t>> seen;
  const auto visit = [&](std::uint16_t q, std::uint16_t s) {
    if (seen.emplace(q, s).second) open.emplace_back(q, s);
  };
  for (std::uint32_t q = 0; q < automaton_.states(); ++q) visit(static_cast<std::uint16_t>(q), 0);
  while (!open.empty()) {
    const auto [q, s] = open.back();
    open.pop_back();
    if (!std::binary_search(sets_[s].begin(), sets_[s].end(), q)) {
      return "state " + std::to_string(q) + " is not in sync state " + std::to_string(s);
    }
    for (std::uint32_t c = 0; c < automaton_.end_symbol(); ++c) {
      const std::uint16_t to = raw(s, c);
      const bool certain = (to & kCertain) != 0;
      const auto next = static_cast<std::uint16_t>(to & ~kCertain);
      // The match goes on over this position.
      if (q != 0 && automaton_.alive(q, c)) {
        if (certain) return "certain inside a match: sync state " + std::to_string(s);
        visit(automaton_.next(q, c), next);
      }
      // An attempt starts at this position: one was to start, or the match ends here.
      if (q == 0 || automaton_.matched(q, c)) visit(automaton_.next(0, c), next);
    }
  }
  return {};
}

}  // namespace toktier::pretok
