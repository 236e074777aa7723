#pragma once
// Where a text may be cut before it is normalized.
//
// A border stands between two neighbouring characters x|y. It is APART under a chain of normalizers
// when, whatever stands further left and right,
//   N(..x y..) = N(..x) N(y..)
// the left part being normalized with its right end open and the right part with its left end open
// (what a step does at the ends of a whole text, such as putting a mark before it, is not done at
// an open end).
//
// A chain is followed step by step on the few characters at the border: each step says whether the
// border is one for it and what the characters beside the border are in its output, as far as they
// are the same in every text. kUnknownCharacter stands for one that is not; a step that needs it
// says no.

namespace toktier::normalize {

/// The ends at which a text is a part of a longer one.
struct Open {
  bool left = false;
  bool right = false;
};

inline constexpr char32_t kUnknownCharacter = 0xFFFFFFFF;

/// `w` and `x` stand before the border, `y` and `z` behind it, in this order.
struct Border {
  char32_t w = kUnknownCharacter;
  char32_t x = kUnknownCharacter;
  char32_t y = kUnknownCharacter;
  char32_t z = kUnknownCharacter;
  /// `y` may be gone, with all that stands behind it, when the text ends before anything else does.
  bool may_vanish = false;
};

}  // namespace toktier::normalize
