#pragma once
// A set of code points as sorted, disjoint, non-adjacent closed ranges. Immutable once shared; no
// locks.

#include <cstdint>
#include <span>
#include <vector>

namespace toktier::unicode {

inline constexpr char32_t kMaxCodePoint = 0x10FFFF;

struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;  // inclusive
  friend bool operator==(const CodePointRange&, const CodePointRange&) = default;
};

class CodePointSet {
 public:
  CodePointSet() = default;
  explicit CodePointSet(std::span<const CodePointRange> ranges);  // any order, may overlap
  static CodePointSet all();
  static CodePointSet of(char32_t first, char32_t last);

  bool contains(char32_t c) const;
  bool empty() const { return ranges_.empty(); }
  std::size_t count() const;  // code points
  std::span<const CodePointRange> ranges() const { return ranges_; }

  CodePointSet united(const CodePointSet& other) const;
  CodePointSet intersected(const CodePointSet& other) const;
  CodePointSet complement() const;  // within 0..10FFFF
  CodePointSet minus(const CodePointSet& other) const;
  friend bool operator==(const CodePointSet&, const CodePointSet&) = default;

 private:
  std::vector<CodePointRange> ranges_;
};

}  // namespace toktier::unicode
