#pragma once
// A byte trie over vocabulary strings for common-prefix search. Immutable after build; children of
// a node are stored side by side, so a step is one memchr over the labels of a node (a table for
// the root).

#include "toktier/types.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace toktier::bpe {

class ByteTrie {
 public:
  /// `keys`: non-empty strings with their values; of equal strings the last one counts.
  void build(std::vector<std::pair<std::string_view, TokenId>> keys);

  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kDead = 0xFFFFFFFF;
  static constexpr TokenId kNoValue = 0xFFFFFFFF;

  /// The child of `node` under `byte`, or kDead.
  std::uint32_t step(std::uint32_t node, unsigned char byte) const {
    if (node == kRoot) return root_[byte];
    const std::uint32_t begin = child_begin_[node], count = child_begin_[node + 1] - begin;
    if (count == 0) return kDead;
    const void* hit = std::memchr(labels_.data() + begin, byte, count);
    if (hit == nullptr) return kDead;
    return static_cast<std::uint32_t>(static_cast<const unsigned char*>(hit) - labels_.data());
  }
  TokenId value(std::uint32_t node) const { return value_[node]; }

 private:
  std::uint32_t root_[256];
  std::vector<unsigned char> labels_;  // by node: the byte that leads to it
  std::vector<std::uint32_t>
      child_begin_;             // by node, one more at the end; children are consecutive nodes
  std::vector<TokenId> value_;  // by node
};

}  // namespace toktier::bpe
