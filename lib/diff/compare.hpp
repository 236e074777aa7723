#pragma once
// The first difference between two answers, where it comes from, and how to show it. Pure
// functions.

#include "diff/engine.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toktier::diff {

struct Difference {
  std::string check;      // row of the check table
  std::string stage;      // where the two sides part; see stage_of()
  std::size_t index = 0;  // first differing entry of the check's list
  std::size_t byte = 0;   // where in the text that is, as far as known

  /// What groups differences: same class, perhaps same cause.
  std::string cls() const { return check + '/' + stage; }
};

/// Differences between complete answers for one of the parts ids, spans, pieces. A document only
/// one side refuses is a difference of every check, stage refusal-ours or refusal-theirs; one that
/// both refuse is none.
///
/// Stages: refusal-ours, refusal-theirs; pieces (a pre-token or added token already differs at or
/// before that place); tail (one list is the beginning of the other); model (pieces agree up to
/// there, so the model stage parts); ids, spans (one side cannot tell its pieces).
std::optional<Difference> first_difference(std::uint32_t part, const Answer& ours,
                                           const Answer& theirs);

/// For the check decode: texts differ, or one side refused.
std::optional<Difference> first_difference(const Decoded& ours, const Decoded& theirs);

/// Both sides around the first difference, one line each side: "1234 "th"  >99 "e"<  5 "x"".
/// `around` entries each way.
struct Window {
  std::string ours, theirs;
};
Window show_window(std::string_view text, const Difference& difference, const Answer& ours,
                   const Answer& theirs, std::size_t around = 4);
Window show_window(const Difference& difference, const Decoded& ours, const Decoded& theirs,
                   std::size_t around = 24);

}  // namespace toktier::diff
