#include "unicode/tables/tables.hpp"

#include <vector>

namespace toktier::unicode::tables {
namespace {

CodePointSet expand(const std::uint32_t* step, const std::uint32_t* end) {
  std::vector<CodePointRange> ranges;
  char32_t at = 0;
  for (; step != end; step += 2) {
    const char32_t first = at + step[0];
    ranges.push_back({first, first + step[1]});
    at = first + step[1] + 1;
  }
  return CodePointSet(ranges);
}

}  // namespace

const CodePointSet& set(std::size_t index) {
  // Built once, on first use, from constant data; afterwards only read.
  static const std::vector<CodePointSet> sets = [] {
    std::vector<CodePointSet> all;
    all.reserve(kSetCount);
    for (std::size_t i = 0; i < kSetCount; ++i) {
      all.push_back(expand(kSteps + kSetBegins[i], kSteps + kSetBegins[i + 1]));
    }
    return all;
  }();
  return sets.at(index);
}

}  // namespace toktier::unicode::tables
