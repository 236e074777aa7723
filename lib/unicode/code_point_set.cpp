#include "unicode/code_point_set.hpp"

#include <algorithm>

namespace toktier::unicode {
namespace {

/// Sorts, merges overlapping and adjacent ranges.
std::vector<CodePointRange> canonical(std::vector<CodePointRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const CodePointRange& a, const CodePointRange& b) { return a.first < b.first; });
  std::vector<CodePointRange> out;
  for (const CodePointRange& r : ranges) {
    if (!out.empty() && r.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, r.last);
    } else {
      out.push_back(r);
    }
  }
  return out;
}

}  // namespace

CodePointSet::CodePointSet(std::span<const CodePointRange> ranges)
    : ranges_(canonical({ranges.begin(), ranges.end()})) {}

CodePointSet CodePointSet::all() { return of(0, kMaxCodePoint); }

CodePointSet CodePointSet::of(char32_t first, char32_t last) {
  CodePointSet set;
  if (first <= last) set.ranges_.push_back({first, last});
  return set;
}

bool CodePointSet::contains(char32_t c) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), c,
                       [](char32_t value, const CodePointRange& r) { return value < r.first; });
  return after != ranges_.begin() && c <= std::prev(after)->last;
}

std::size_t CodePointSet::count() const {
  std::size_t n = 0;
  for (const CodePointRange& r : ranges_) n += std::size_t{r.last} - r.first + 1;
  return n;
}

CodePointSet CodePointSet::united(const CodePointSet& other) const {
  std::vector<CodePointRange> joined(ranges_);
  joined.insert(joined.end(), other.ranges_.begin(), other.ranges_.end());
  CodePointSet set;
  set.ranges_ = canonical(std::move(joined));
  return set;
}

CodePointSet CodePointSet::intersected(const CodePointSet& other) const {
  CodePointSet set;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const char32_t first = std::max(a->first, b->first);
    const char32_t last = std::min(a->last, b->last);
    if (first <= last) set.ranges_.push_back({first, last});
    if (a->last < b->last) {
      ++a;
    } else {
      ++b;
    }
  }
  return set;
}

CodePointSet CodePointSet::complement() const {
  CodePointSet set;
  char32_t next = 0;
  for (const CodePointRange& r : ranges_) {
    if (r.first > next) set.ranges_.push_back({next, r.first - 1});
    next = r.last + 1;
  }
  if (next <= kMaxCodePoint) set.ranges_.push_back({next, kMaxCodePoint});
  return set;
}

CodePointSet CodePointSet::minus(const CodePointSet& other) const {
  return intersected(other.complement());
}

}  // namespace toktier::unicode
