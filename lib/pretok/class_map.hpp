#pragma once
// Code points to the character classes of a pattern: the coarsest partition in which every set of
// the pattern is a union of classes. Built from the ranges of the sets (never by visiting code
// points), then looked up in two steps.

#include "unicode/code_point_set.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace toktier::pretok {

class ClassMap {
 public:
  static constexpr std::uint32_t kPageBits = 7;
  static constexpr std::uint32_t kPageSize = 1U << kPageBits;

  /// Throws Error{unsupported} when there would be more than 254 classes.
  explicit ClassMap(std::span<const unicode::CodePointSet> sets);
  ClassMap() = default;

  std::uint32_t classes() const { return static_cast<std::uint32_t>(representatives_.size()); }
  std::uint8_t of(char32_t c) const {
    return pages_[static_cast<std::size_t>(page_of_[c >> kPageBits]) * kPageSize +
                  (c & (kPageSize - 1))];
  }
  /// True when set number `set` holds the characters of class `c`.
  bool holds(std::uint32_t set, std::uint32_t c) const { return holds_[c][set] != 0; }
  /// Some members of each class, the first one always there: first and last members of its first
  /// ranges.
  std::span<const char32_t> representatives(std::uint32_t c) const { return representatives_[c]; }

  std::span<const std::uint16_t> page_table() const { return page_of_; }
  std::span<const std::uint8_t> pages() const { return pages_; }
  std::size_t bytes() const { return page_of_.size() * 2 + pages_.size(); }

 private:
  std::vector<std::uint16_t> page_of_;
  std::vector<std::uint8_t> pages_;
  std::vector<std::vector<std::uint8_t>> holds_;  // by class, by set
  std::vector<std::vector<char32_t>> representatives_;
};

}  // namespace toktier::pretok
