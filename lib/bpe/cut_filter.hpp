#pragma once
// Which characters below U+10000 certainly never stand side by side in a merge result: the quick
// half of the question that CutTable answers.
//
// For each character x a word of 64 bits: the groups of characters y that some result holds right
// after x. A pair whose group is not there is in no result: a cut, decided by one load. A pair
// whose group is there may be in one: the table decides. The same from the right side. A result
// that begins or ends inside a character counts for every character that the fragment is a part of,
// so "apart" is never wrong; groups only cost some answers.
//
// Immutable after finish(); shared by all threads.

#include "base/zero_table.hpp"

#include <cstdint>
#include <map>
#include <string_view>

namespace toktier::bpe {

class CutFilter {
 public:
  static constexpr char32_t kEnd = 0x10000;

  /// Some result holds `left` directly before `right`; both are parts of characters, each of one:
  /// what is no suffix (left) or no prefix (right) of a character changes nothing.
  void add(std::string_view left, std::string_view right);
  void finish();

  /// For x, y < kEnd: true only when no merge crosses x|y.
  bool apart(char32_t x, char32_t y) const {
    const std::uint64_t after = after_[x] >> group_of_right(y), before = before_[y] >> (x & 63);
    return (after & before & 1) == 0;
  }

 private:
  // Left characters go by their last byte: suffixes of them are of one group. Right ones of the
  // large scripts go by what their first two bytes say, for the same reason; in the alphabets,
  // which are few such blocks, that would be one group for all.
  static constexpr char32_t kLargeScripts = 0x3400;
  static unsigned group_of_right(char32_t y) { return (y >= kLargeScripts ? y >> 6 : y) & 63; }

  base::ZeroTable<std::uint64_t> after_ = base::ZeroTable<std::uint64_t>(kEnd);   // by x
  base::ZeroTable<std::uint64_t> before_ = base::ZeroTable<std::uint64_t>(kEnd);  // by y
  // Fragments stand for many characters: their words wait until finish().
  struct Range {
    char32_t first, last, step;
    friend auto operator<=>(const Range&, const Range&) = default;
  };
  static Range left_characters(std::string_view suffix);
  static Range right_characters(std::string_view prefix);
  std::map<Range, std::uint64_t> after_some_, before_some_;
};

}  // namespace toktier::bpe
