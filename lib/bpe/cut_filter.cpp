#include "bpe/cut_filter.hpp"

#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::bpe {
namespace {

constexpr std::uint64_t kAllGroups = ~std::uint64_t{0};

unsigned char byte(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}
bool continuation(unsigned char c) { return (c & 0xC0) == 0x80; }
bool whole_character(std::string_view bytes) {
  return !continuation(byte(bytes, 0)) && unicode::sequence_length(byte(bytes, 0)) == bytes.size();
}

constexpr char32_t kNone = 1;  // a range of no characters: first > last

}  // namespace

CutFilter::Range CutFilter::left_characters(std::string_view suffix) {
  if (whole_character(suffix)) {
    const char32_t c = unicode::decode(suffix.data()).code_point;
    return c < kEnd ? Range{c, c, 1} : Range{kNone, 0, 1};
  }
  for (const char c : suffix)
    if (!continuation(static_cast<unsigned char>(c))) return {kNone, 0, 1};
  // The last 6 or 12 bits of a character, and of some that are shorter, which costs nothing.
  const char32_t last = byte(suffix, suffix.size() - 1) & 0x3FU;
  if (suffix.size() == 1) return {last, kEnd - 1, 64};
  if (suffix.size() == 2) return {(byte(suffix, 0) & 0x3FU) << 6 | last, kEnd - 1, 4096};
  return {kNone, 0, 1};
}

CutFilter::Range CutFilter::right_characters(std::string_view prefix) {
  if (whole_character(prefix)) {
    const char32_t c = unicode::decode(prefix.data()).code_point;
    return c < kEnd ? Range{c, c, 1} : Range{kNone, 0, 1};
  }
  const unsigned lead = byte(prefix, 0);
  if (continuation(byte(prefix, 0)) || lead >= 0xF0) return {kNone, 0, 1};
  if (lead < 0xE0) {
    const char32_t first = (lead & 0x1F) << 6;
    return {first, first + 63, 1};
  }
  const char32_t first = (lead & 0x0F) << 12;
  if (prefix.size() == 1) return {first, first + 4095, 1};
  const char32_t second = first + ((byte(prefix, 1) & 0x3FU) << 6);
  return {second, second + 63, 1};
}

void CutFilter::add(std::string_view left, std::string_view right) {
  const Range xs = left_characters(left), ys = right_characters(right);
  if (xs.first > xs.last || ys.first > ys.last) return;
  std::uint64_t after = 0;
  if (ys.last - ys.first >= 64 || (ys.last > ys.first && ys.first < kLargeScripts))
    after = kAllGroups;
  else
    for (char32_t y = ys.first; y <= ys.last; y += ys.step)
      after |= std::uint64_t{1} << group_of_right(y);
  const std::uint64_t before = std::uint64_t{1} << (xs.first & 63);
  if (xs.first == xs.last)
    after_[xs.first] |= after;
  else
    after_some_[xs] |= after;
  if (ys.first == ys.last)
    before_[ys.first] |= before;
  else
    before_some_[ys] |= before;
}

void CutFilter::finish() {
  for (const auto& [xs, groups] : after_some_)
    for (char32_t x = xs.first; x <= xs.last; x += xs.step) after_[x] |= groups;
  for (const auto& [ys, groups] : before_some_)
    for (char32_t y = ys.first; y <= ys.last; y += ys.step) before_[y] |= groups;
  after_some_.clear();
  before_some_.clear();
}

}  // namespace toktier::bpe
