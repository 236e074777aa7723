#pragma once
// Exact cuts inside a piece: places that no merge can cross.
//
// Source and argument: a merge only creates a token that is a contiguous part of the text. If no
// merge result holds character x directly followed by character y, no merge crosses x|y, merges on
// the two sides are independent, and the encoding of the whole is the encodings of the sides put
// together. The set of results must hold ALL merge results, added tokens included. For byte
// vocabularies a token may begin or end inside a character: then x|y is unsafe as soon as some
// suffix of x followed by some prefix of y occurs in a result.
//
// Immutable after build(); shared by all threads. Texts are well-formed UTF-8 except where stated.

#include "toktier/types.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace toktier::bpe {

/// A worker's memo of answers for pairs of non-ASCII characters; never changes an answer.
struct CutMemo {
  std::vector<std::uint64_t> slots = std::vector<std::uint64_t>(1U << 15, 0);
};

class CutTable {
 public:
  /// Records every merge result. `bytes`: results may hold partial characters (byte vocabulary).
  void add(std::string_view result);
  void finish();

  /// True when no merge crosses the border between adjacent characters x and y.
  bool safe(char32_t x, char32_t y, CutMemo& memo) const {
    if ((x | y) < 0x80) return !((ascii_[x][y >> 6] >> (y & 63)) & 1);
    if (x == kMark && y < 0x80) return !((after_mark_[y >> 6] >> (y & 63)) & 1);
    if (y == kMark && x < 0x80) return !((before_mark_[x >> 6] >> (x & 63)) & 1);
    return safe_wide(x, y, memo);
  }
  /// From an ASCII character *x that ends before `at`: steps over ASCII characters while their
  /// borders are not safe. Returns the position of the first character that is not ASCII, lies
  /// behind a safe border, or text.size(); *x is the character before it.
  std::size_t ascii_run(std::string_view text, std::size_t at, char32_t* x) const {
    auto last = static_cast<unsigned char>(*x);
    while (at < text.size()) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte >= 0x80 || !((ascii_[last][byte >> 6] >> (byte & 63)) & 1)) break;
      last = byte;
      ++at;
    }
    *x = last;
    return at;
  }
  /// Byte form, valid at any border of two bytes, inside characters too: no result holds these
  /// bytes side by side.
  bool safe_bytes(unsigned char x, unsigned char y) const {
    return !((bytes_[x][y >> 6] >> (y & 63)) & 1);
  }
  std::size_t recorded_pairs() const { return pair_count_; }

 private:
  static constexpr char32_t kMark = 0x2581;  // the SentencePiece word mark
  bool safe_wide(char32_t x, char32_t y, CutMemo& memo) const;
  bool touches(char32_t x, char32_t y) const;
  bool has(std::uint32_t left, std::uint32_t right) const;
  void insert(std::uint32_t left, std::uint32_t right);
  // One-sided filters (may say yes too often) that spare most lookups of partial characters.
  using Filter = std::vector<std::uint64_t>;
  static std::size_t filter_bit(std::uint32_t fragment);
  static bool seen(const Filter& filter, std::uint32_t fragment) {
    const std::size_t bit = filter_bit(fragment);
    return ((filter[bit >> 6] >> (bit & 63)) & 1) != 0;
  }

  std::uint64_t ascii_[128][2] = {};
  std::uint64_t after_mark_[2] = {}, before_mark_[2] = {};
  std::uint64_t bytes_[256][4] = {};
  bool partial_ = false;  // some result begins or ends inside a character
  std::vector<std::uint64_t> slots_ =
      std::vector<std::uint64_t>(64, 0);  // fragment pairs, open addressing, 0 = free
  std::size_t pair_count_ = 0;
  Filter left_filter_ = Filter(1024, 0), right_filter_ = Filter(1024, 0);
};

}  // namespace toktier::bpe
