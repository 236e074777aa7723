#pragma once
// A small value for each of the 1,114,112 code points, as blocks of 256 with equal blocks stored
// once. Immutable after construction; no locks.

#include "unicode/code_point_set.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace toktier::unicode {

class CodePointMap {
 public:
  /// `values` holds one entry per code point (kMaxCodePoint + 1 of them).
  explicit CodePointMap(const std::vector<std::uint8_t>& values) {
    for (std::size_t block = 0; block < index_.size(); ++block) {
      const std::uint8_t* const from = values.data() + block * kBlock;
      std::size_t at = 0;
      while (at < data_.size() && std::memcmp(data_.data() + at, from, kBlock) != 0) at += kBlock;
      if (at == data_.size()) data_.insert(data_.end(), from, from + kBlock);
      index_[block] = static_cast<std::uint16_t>(at / kBlock);
    }
  }

  /// Every member of `set` has `value`, all others 0.
  CodePointMap(const CodePointSet& set, std::uint8_t value) : CodePointMap(spread(set, value)) {}

  std::uint8_t operator[](char32_t c) const {
    return data_[std::size_t{index_[c / kBlock]} * kBlock + c % kBlock];
  }

 private:
  static std::vector<std::uint8_t> spread(const CodePointSet& set, std::uint8_t value) {
    std::vector<std::uint8_t> values(std::size_t{kMaxCodePoint} + 1, 0);
    for (const CodePointRange& r : set.ranges()) {
      std::memset(values.data() + r.first, value, std::size_t{r.last} - r.first + 1);
    }
    return values;
  }

  static constexpr std::size_t kBlock = 256;
  std::array<std::uint16_t, (std::size_t{kMaxCodePoint} + 1) / kBlock> index_{};
  std::vector<std::uint8_t> data_;
};

}  // namespace toktier::unicode
