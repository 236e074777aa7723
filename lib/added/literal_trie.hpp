#pragma once
// All literals of one pass over the text in a double-array trie, behind a filter that skips bytes
// which cannot begin one.
//
// Leftmost-longest search is: next candidate position, walk the trie, keep the deepest accepting
// state. That is exact by definition (every position is either tried or excluded by its first two
// bytes, which the filter holds for all literals). Cost: one filter step per byte plus at most the
// longest literal per candidate, so linear in the text for a given set. Immutable after build();
// shared among threads. Units are bytes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::added {

class LiteralTrie {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Literal {
    std::string text;  // not empty, unique within the set
    std::uint32_t value = 0;
  };

  /// Throws Error{unsupported} when the set is larger than a 32-bit trie holds.
  void build(std::vector<Literal> literals);

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  std::size_t longest() const { return longest_; }

  /// First position >= `at` where a literal may begin; text.size() when there is none.
  std::size_t next_candidate(std::string_view text, std::size_t at) const;

  /// Calls `visit(length, value)` for every literal that begins at `at`, shortest first. Returns
  /// true when the text ended before the walk did: a longer text might hold a longer literal here.
  template <typename Visit>
  bool walk(std::string_view text, std::size_t at, Visit&& visit) const {
    std::uint32_t state = kRoot;
    for (std::size_t i = at; i < text.size(); ++i) {
      const std::uint32_t next = base_[state] + static_cast<unsigned char>(text[i]);
      if (check_[next] != state) return false;
      state = next;
      if (value_[state] != kNone) visit(i + 1 - at, value_[state]);
    }
    return true;
  }
  /// A literal begins with this byte.
  bool begins(unsigned char byte) const { return first_[byte]; }

 private:
  static constexpr std::uint32_t kRoot = 0;

  bool candidate(std::string_view text, std::size_t at) const {
    const auto b0 = static_cast<unsigned char>(text[at]);
    if (!first_[b0]) return false;
    if (at + 1 == text.size()) return single_[b0];
    const unsigned pair = (unsigned{b0} << 8) | static_cast<unsigned char>(text[at + 1]);
    return ((pairs_[pair >> 6] >> (pair & 63)) & 1) != 0;
  }
  void grow_to(std::size_t slots);
  std::uint32_t find_base(const std::vector<unsigned char>& bytes);

  std::size_t count_ = 0;
  std::size_t longest_ = 0;
  std::vector<std::uint32_t> base_;
  std::vector<std::uint32_t> check_;  // parent state; kNone = free slot
  std::vector<std::uint32_t> value_;
  std::uint32_t first_free_ = 1;

  std::array<bool, 256> first_{};            // a literal begins with this byte
  std::array<bool, 256> single_{};           // a literal is this byte
  std::array<std::uint64_t, 1024> pairs_{};  // a literal may begin with these two bytes
  std::vector<unsigned char> few_first_;  // the first bytes when there are at most kFew, else empty
  static constexpr std::size_t kFew = 8;
};

}  // namespace toktier::added
