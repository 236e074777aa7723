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
    const unsigned i = near_index(x), j = near_index(y);
    if ((i | j) < kNear) return !near(i, j);
    return safe_wide(x, y, memo);
  }
  /// The characters that most text consists of have a small matrix of their own: ASCII, and the
  /// SentencePiece word mark as number 128. kFar for all others.
  static constexpr unsigned kFar = 256, kNear = 256;
  static unsigned near_index(char32_t c) { return c < 0x80 ? c : c == kMark ? 128U : kFar; }
  static char32_t character(unsigned near_index) { return near_index < 0x80 ? near_index : kMark; }
  /// From the near character `*x` that ends before `at`: steps over near characters while their
  /// borders are not safe. Returns the position of the first character that is not near or lies
  /// behind a safe border (`*safe` tells which), or text.size(); `*x` is the character before it.
  std::size_t near_run(std::string_view text, std::size_t at, unsigned* x, bool* safe) const {
    unsigned last = *x;
    *safe = false;
    while (at < text.size()) {
      unsigned index = static_cast<unsigned char>(text[at]);
      std::size_t length = 1;
      if (index >= 0x80) {
        if (index != 0xE2 || text.size() - at < 3 || text[at + 1] != '\x96' ||
            text[at + 2] != '\x81')
          break;
        index = 128;
        length = 3;
      }
      if (!near(last, index)) {
        *safe = true;
        break;
      }
      last = index;
      at += length;
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

  bool near(unsigned x, unsigned y) const { return ((near_[x][y >> 6] >> (y & 63)) & 1) != 0; }
  void set_near(unsigned x, unsigned y) { near_[x][y >> 6] |= std::uint64_t{1} << (y & 63); }
  std::uint64_t near_[129][3] = {};  // touching pairs of near characters
  std::uint64_t bytes_[256][4] = {};
  bool partial_ = false;  // some result begins or ends inside a character
  std::vector<std::uint64_t> slots_ =
      std::vector<std::uint64_t>(64, 0);  // fragment pairs, open addressing, 0 = free
  std::size_t pair_count_ = 0;
  Filter left_filter_ = Filter(1024, 0), right_filter_ = Filter(1024, 0);
};

}  // namespace toktier::bpe
