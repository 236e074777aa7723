#include "unicode/code_point_set.hpp"

#include <doctest/doctest.h>

#include <bitset>
#include <random>

using namespace toktier::unicode;

namespace {

constexpr char32_t kWorld = 96;  // small world, checked member by member
using Bits = std::bitset<kWorld>;

CodePointSet random_set(std::mt19937& random, Bits& bits) {
  std::vector<CodePointRange> ranges;
  const auto n = random() % 7;
  for (unsigned long i = 0; i < n; ++i) {
    const char32_t first = static_cast<char32_t>(random() % kWorld);
    const char32_t last =
        std::min<char32_t>(kWorld - 1, first + static_cast<char32_t>(random() % 9));
    ranges.push_back({first, last});
    for (char32_t c = first; c <= last; ++c) bits.set(c);
  }
  return CodePointSet(ranges);
}

void same(const CodePointSet& set, const Bits& bits) {
  for (char32_t c = 0; c < kWorld; ++c) REQUIRE(set.contains(c) == bits.test(c));
  char32_t before = 0;
  bool first = true;
  for (const CodePointRange& r : set.ranges()) {
    REQUIRE(r.first <= r.last);
    if (!first) REQUIRE(r.first > before + 1);  // disjoint and not adjacent
    before = r.last;
    first = false;
  }
}

}  // namespace

TEST_CASE("set operations agree with a bit set") {
  std::mt19937 random(20240607);
  for (int round = 0; round < 3000; ++round) {
    Bits a_bits, b_bits;
    const CodePointSet a = random_set(random, a_bits);
    const CodePointSet b = random_set(random, b_bits);
    same(a, a_bits);
    same(a.united(b), a_bits | b_bits);
    same(a.intersected(b), a_bits & b_bits);
    same(a.minus(b), a_bits & ~b_bits);
    same(a.complement(), ~a_bits);
    CHECK(a.complement().complement() == a);
    CHECK(a.count() == a_bits.count());
    CHECK(a.count() + a.complement().count() == std::size_t{kMaxCodePoint} + 1);
    CHECK(a.empty() == a_bits.none());
  }
}

TEST_CASE("the whole range") {
  CHECK(CodePointSet::all().complement().empty());
  CHECK(CodePointSet().complement() == CodePointSet::all());
  CHECK(CodePointSet::of(5, 4).empty());
  CHECK(CodePointSet::all().contains(kMaxCodePoint));
}
