#include "pretok/neighbours.hpp"

#include <utility>

namespace toktier::pretok {
namespace {

// The classes that a match may begin with.
std::vector<bool> beginnings(const Automaton& a) {
  std::vector<bool> in(a.map().classes());
  for (std::uint32_t c = 0; c < a.map().classes(); ++c) in[c] = a.alive(0, c);
  return in;
}

/// The matches are exactly the single characters of `in` (run false) or its maximal runs.
bool matches_set(const Automaton& a, const std::vector<bool>& in, bool run) {
  std::vector<bool> seen(a.states(), false);
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t q) {
    if (!seen[q]) open.push_back(q);
    seen[q] = true;
  };
  for (std::uint32_t c = 0; c < a.symbols(); ++c) {
    if (a.matched(0, c)) return false;
    if (c < in.size() && in[c]) visit(a.next(0, c));
    if (c == a.end_symbol() && a.alive(0, c)) return false;
  }
  while (!open.empty()) {
    const std::uint32_t q = open.back();
    open.pop_back();
    if (q == 0) return false;
    for (std::uint32_t s = 0; s < a.symbols(); ++s) {
      const bool goes_on = run && s < in.size() && in[s];
      if (!a.matched(q, s) || a.alive(q, s) != goes_on) return false;
      if (goes_on) visit(a.next(q, s));
    }
  }
  return true;
}

}  // namespace

std::vector<bool> NeighbourRule::barriers(const Automaton& a) {
  std::vector<bool> out(a.map().classes(), true);
  for (std::uint32_t c = 0; c < a.map().classes(); ++c) {
    for (std::uint32_t q = 0; q < a.states(); ++q) {
      if (a.alive(q, c) || a.matched(q, c) != a.matched(q, a.end_symbol())) out[c] = false;
    }
  }
  return out;
}

std::optional<NeighbourRule> NeighbourRule::of(const PatternStep& step) {
  const Automaton* a = step.matcher().automaton();
  if (a == nullptr) return std::nullopt;
  const bool kept = step.behavior() == model::SplitBehavior::removed && step.invert();
  std::vector<bool> in = beginnings(*a);
  if (!step.invert() || kept) {
    for (const bool run : {false, true})
      if (matches_set(*a, in, run))
        return NeighbourRule(*a, run ? Shape::run : Shape::one, std::move(in), step.behavior(),
                             step.invert());
  }
  if (!kept) return std::nullopt;
  std::vector<bool> barrier = barriers(*a);
  for (const bool one : barrier)
    if (one)
      return NeighbourRule(*a, Shape::kept_matches, std::move(barrier), step.behavior(), true);
  return std::nullopt;
}

bool NeighbourRule::cuts(char32_t left, char32_t right) const {
  using model::SplitBehavior;
  const bool x = in_[automaton_->map().of(left)];
  const bool y = in_[automaton_->map().of(right)];
  if (shape_ == Shape::kept_matches) return x || y;
  const bool run = shape_ == Shape::run;
  switch (behavior_) {
    case SplitBehavior::removed:
      if (invert_) return !run || !(x && y);
      return x || y;
    case SplitBehavior::isolated:
      return run ? x != y : x || y;
    case SplitBehavior::contiguous:
      return x != y;
    case SplitBehavior::merged_with_previous:
      return x && !(run && y);
    case SplitBehavior::merged_with_next:
      return y && !(run && x);
  }
  return false;
}

}  // namespace toktier::pretok
