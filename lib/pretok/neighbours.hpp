#pragma once
// Cuts that two neighbouring characters decide alone: a step of the chain always ends a piece
// between x and y, whatever stands further away, and works on both sides by itself.
//
// Which steps have such a rule is read off their automaton, not off their name:
//   - a pattern that is one character of a set, or a run of a set: every behaviour's cut follows
//     from whether x and y are in the set;
//   - any pattern of which only the matches are kept: an attempt that reads a character that can
//     be in no match dies there, so no match crosses a border beside it. The engine must learn the
//     same from that character as from the end of the text (then a part that ends before it is cut
//     as the whole is).
// Steps behind such a cut see two pieces. Immutable; shared by threads.

#include "pretok/automaton.hpp"
#include "pretok/steps/step.hpp"

#include <optional>
#include <vector>

namespace toktier::pretok {

class NeighbourRule {
 public:
  /// Nothing when the step has no such rule.
  static std::optional<NeighbourRule> of(const PatternStep& step);
  bool cuts(char32_t x, char32_t y) const;

  /// The classes of characters that are in no match and tell the engine what the end of the text
  /// does.
  static std::vector<bool> barriers(const Automaton& automaton);

 private:
  enum class Shape { one, run, kept_matches };
  NeighbourRule(const Automaton& automaton, Shape shape, std::vector<bool> in,
                model::SplitBehavior behavior, bool invert)
      : automaton_(&automaton),
        shape_(shape),
        in_(std::move(in)),
        behavior_(behavior),
        invert_(invert) {}
  const Automaton* automaton_;
  Shape shape_;
  std::vector<bool> in_;  // by class: in the set (kept_matches: a barrier)
  model::SplitBehavior behavior_;
  bool invert_;
};

}  // namespace toktier::pretok
