#include "pretok/class_map.hpp"

#include "toktier/error.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>

namespace toktier::pretok {

using unicode::CodePointSet;
using unicode::kMaxCodePoint;

namespace {

constexpr std::size_t kMaxClasses = 254;
constexpr std::size_t kRepresentatives = 6;

struct Interval {
  char32_t first;
  std::uint8_t cls;
};

// A position in the ranges of one set: whether the sweep is inside a range, and where that changes.
struct Cursor {
  std::span<const unicode::CodePointRange> ranges;
  std::size_t at = 0;
  bool inside = false;
  char32_t change() const {
    if (at >= ranges.size()) return kMaxCodePoint + 1;
    return inside ? ranges[at].last + 1 : ranges[at].first;
  }
  void pass() {
    if (inside) ++at;
    inside = !inside;
  }
};

}  // namespace

ClassMap::ClassMap(std::span<const CodePointSet> sets) {
  std::vector<Cursor> cursors;
  cursors.reserve(sets.size());
  for (const CodePointSet& set : sets) cursors.push_back({set.ranges()});
  std::unordered_map<std::string, std::uint8_t> class_of;
  std::vector<Interval> intervals;
  std::string key(sets.size(), '\0');
  char32_t position = 0;
  while (position <= kMaxCodePoint) {
    char32_t next = kMaxCodePoint + 1;
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (cursors[i].change() == position) {
        cursors[i].pass();
        key[i] = cursors[i].inside ? 1 : 0;
      }
      next = std::min(next, cursors[i].change());
    }
    auto found = class_of.find(key);
    if (found == class_of.end()) {
      if (class_of.size() == kMaxClasses) {
        throw Error(ErrorCode::unsupported, "regular expression: more than 254 character classes");
      }
      found = class_of.emplace(key, static_cast<std::uint8_t>(class_of.size())).first;
      holds_.emplace_back(key.begin(), key.end());
      representatives_.emplace_back();
    }
    auto& some = representatives_[found->second];
    if (some.size() < kRepresentatives) {
      some.push_back(position);
      if (next - position > 1 && some.size() < kRepresentatives) some.push_back(next - 1);
    }
    intervals.push_back({position, found->second});
    position = next;
  }

  page_of_.resize((kMaxCodePoint + 1) / kPageSize);
  std::array<std::int32_t, 256> uniform;  // page filled with one class
  uniform.fill(-1);
  std::unordered_map<std::string_view, std::uint16_t> known;  // keys point into `mixed`
  std::vector<std::array<char, kPageSize>> mixed;
  mixed.reserve(page_of_.size());
  std::size_t at = 0;
  for (std::size_t page = 0; page < page_of_.size(); ++page) {
    const auto first = static_cast<char32_t>(page * kPageSize);
    while (at + 1 < intervals.size() && intervals[at + 1].first <= first) ++at;
    const auto add_page = [this](const void* bytes) {
      const std::size_t index = pages_.size() / kPageSize;
      pages_.resize(pages_.size() + kPageSize);
      std::memcpy(pages_.data() + index * kPageSize, bytes, kPageSize);
      return static_cast<std::uint16_t>(index);
    };
    std::array<char, kPageSize> bytes;
    if (at + 1 == intervals.size() || intervals[at + 1].first >= first + kPageSize) {
      std::int32_t& index = uniform[intervals[at].cls];
      if (index < 0) {
        bytes.fill(static_cast<char>(intervals[at].cls));
        index = add_page(bytes.data());
      }
      page_of_[page] = static_cast<std::uint16_t>(index);
      continue;
    }
    std::size_t cursor = at;
    for (std::uint32_t i = 0; i < kPageSize; ++i) {
      if (cursor + 1 < intervals.size() && intervals[cursor + 1].first == first + i) ++cursor;
      bytes[i] = static_cast<char>(intervals[cursor].cls);
    }
    mixed.push_back(bytes);
    const std::string_view view(mixed.back().data(), kPageSize);
    const auto found = known.find(view);
    if (found != known.end()) {
      page_of_[page] = found->second;
      mixed.pop_back();
    } else {
      page_of_[page] = add_page(bytes.data());
      known.emplace(view, page_of_[page]);
    }
  }
}

}  // namespace toktier::pretok
