#pragma once
// Makes a failing text small. Pure apart from the predicate.
//
// Method: windows around the place first (most faults are local), then delta debugging (Zeller and
// Hildebrandt, 2002: remove chunks of halving size until nothing can go), then each remaining unit
// is replaced by the simplest one that keeps the failure. A unit is a character, or a byte that is
// not part of well-formed UTF-8. Every accepted text has passed the predicate, so the result fails
// whenever the input did, however early the step limit ends the work.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace toktier::diff {

struct Shrunk {
  std::string text;
  std::size_t steps = 0;  // calls of the predicate
  bool finished = false;  // false: the step limit ended it
};

/// `still_fails(text)` must be true for the input itself. `byte` is where the failure was seen.
Shrunk shrink(std::string text, std::size_t byte,
              const std::function<bool(std::string_view)>& still_fails, std::size_t max_steps);

}  // namespace toktier::diff
