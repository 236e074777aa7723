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

#include "bpe/cut_filter.hpp"
#include "toktier/types.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace toktier::bpe {

/// A worker's memo of answers for pairs of non-ASCII characters; never changes an answer.
struct CutMemo {
  static constexpr std::size_t kSlots = 1U << 15;
  std::vector<std::uint64_t> slots = std::vector<std::uint64_t>(kSlots, 0);
};

class CutTable {
 public:
  /// Records every merge result. `bytes`: results may hold partial characters (byte vocabulary).
  void add(std::string_view result);
  /// near_cuts() stops at this near character. Before finish().
  void leave_out(unsigned near_index) { left_out_[near_index] = true; }
  void finish();

  /// True when no merge crosses the border between adjacent characters x and y.
  bool safe(char32_t x, char32_t y, CutMemo& memo) const {
    const unsigned i = near_index(x), j = near_index(y);
    if ((i | j) < kNear) return !near(i, j);
    return surely_safe(x, y) || safe_wide(x, y, memo);
  }
  /// True only when safe(), and mostly then: where the filter knows the characters it does not ask
  /// the table. A cut less costs less than a question more.
  bool most_safe(char32_t x, char32_t y, CutMemo& memo) const {
    return (x | y) < CutFilter::kEnd ? filter_.apart(x, y) : safe(x, y, memo);
  }
  /// The characters that most text consists of have a small matrix of their own: ASCII, and the
  /// SentencePiece word mark as number 128. kFar for all others.
  static constexpr unsigned kFar = 256, kNear = 256;
  static unsigned near_index(char32_t c) { return c < 0x80 ? c : c == kMark ? 128U : kFar; }
  static char32_t character(unsigned near_index) { return near_index < 0x80 ? near_index : kMark; }
  /// Of the run of near characters that begins at `at`: writes the places > `at` behind which no
  /// merge reaches across, and counts them in `*count`. Returns the first border that it did not
  /// decide: the end of the text, the first character that is not near (`at` itself, perhaps), or
  /// any border once `cap` places are nearly reached (cap >= 32; room for cap in `cuts`).
  std::size_t near_cuts(std::string_view text, std::size_t at, std::uint32_t* cuts, std::size_t cap,
                        std::size_t* count) const;
  /// Byte form, valid at any border of two bytes, inside characters too: no result holds these
  /// bytes side by side.
  bool safe_bytes(unsigned char x, unsigned char y) const {
    return !((bytes_[x][y >> 6] >> (y & 63)) & 1);
  }
  std::size_t recorded_pairs() const { return pair_count_; }

 private:
  static constexpr char32_t kMark = 0x2581;  // the SentencePiece word mark
  bool surely_safe(char32_t x, char32_t y) const {
    return (x | y) < CutFilter::kEnd && filter_.apart(x, y);
  }
  bool safe_wide(char32_t x, char32_t y, CutMemo& memo) const {
    const std::uint64_t key = (((static_cast<std::uint64_t>(x) << 21) | y) << 2) | 2U;  // never 0
    std::uint64_t& slot = memo.slots[(key * 0x9E3779B97F4A7C15ULL >> 40) & (CutMemo::kSlots - 1)];
    if ((slot | 1U) != (key | 1U)) slot = key | static_cast<std::uint64_t>(!touches(x, y));
    return slot & 1U;
  }
  bool touches(char32_t x, char32_t y) const;
  bool has(std::uint32_t left, std::uint32_t right) const;
  /// False when it was there.
  bool insert(std::uint32_t left, std::uint32_t right);
  // One-sided filters (may say yes too often) that spare most lookups of partial characters.
  using Filter = std::vector<std::uint64_t>;
  static std::size_t filter_bit(std::uint32_t fragment);
  static bool seen(const Filter& filter, std::uint32_t fragment) {
    const std::size_t bit = filter_bit(fragment);
    return ((filter[bit >> 6] >> (bit & 63)) & 1) != 0;
  }

  // near_cuts() looks at bytes: ASCII, the three of the word mark, all others. What two bytes side
  // by side mean: no cut between them, a cut, or not both of near characters.
  static constexpr unsigned kByteClasses = 132, kOther = 131;
  enum Border : std::uint8_t { kNoCut = 0, kCut = 1, kStop = 2 };
  static unsigned byte_class(unsigned char c) {
    return c < 0x80 ? c : c == 0xE2 ? 128U : c == 0x96 ? 129U : c == 0x81 ? 130U : kOther;
  }
  bool left_out_[129] = {};
  std::uint8_t class_of_[256] = {};
  std::vector<std::uint8_t> borders_;  // [class of the left byte][class of the right byte]

  bool near(unsigned x, unsigned y) const { return ((near_[x][y >> 6] >> (y & 63)) & 1) != 0; }
  void set_near(unsigned x, unsigned y) { near_[x][y >> 6] |= std::uint64_t{1} << (y & 63); }
  std::uint64_t near_[129][3] = {};  // touching pairs of near characters
  std::uint64_t bytes_[256][4] = {};
  CutFilter filter_;
  bool partial_ = false;  // some result begins or ends inside a character
  std::vector<std::uint64_t> slots_ =
      std::vector<std::uint64_t>(64, 0);  // fragment pairs, open addressing, 0 = free
  std::size_t pair_count_ = 0;
  Filter left_filter_ = Filter(1024, 0), right_filter_ = Filter(1024, 0);
  // A filter over the pairs themselves: most pairs asked for are in no result.
  static constexpr unsigned kPairFilterBits = 19;
  Filter pair_filter_ = Filter(std::size_t{1} << (kPairFilterBits - 6), 0);
};

}  // namespace toktier::bpe
