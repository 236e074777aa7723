#include "bpe/byte_trie.hpp"

#include <algorithm>

namespace toktier::bpe {

void ByteTrie::build(std::vector<std::pair<std::string_view, TokenId>> keys) {
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Range {
    std::size_t begin, end;  // keys below a node
    std::size_t depth;
  };
  // Breadth first, so that the children of one node get consecutive numbers.
  std::vector<Range> queue{{0, keys.size(), 0}};
  labels_.assign(1, 0);
  value_.clear();
  child_begin_.clear();
  std::fill(std::begin(root_), std::end(root_), kDead);
  for (std::size_t node = 0; node < queue.size(); ++node) {
    auto [begin, end, depth] = queue[node];
    TokenId value = kNoValue;
    for (; begin < end && keys[begin].first.size() == depth; ++begin) value = keys[begin].second;
    value_.push_back(value);
    child_begin_.push_back(static_cast<std::uint32_t>(queue.size()));
    while (begin < end) {
      const auto byte = static_cast<unsigned char>(keys[begin].first[depth]);
      std::size_t next = begin;
      while (next < end && static_cast<unsigned char>(keys[next].first[depth]) == byte) ++next;
      if (node == 0) root_[byte] = static_cast<std::uint32_t>(queue.size());
      labels_.push_back(byte);
      queue.push_back({begin, next, depth + 1});
      begin = next;
    }
  }
  child_begin_.push_back(static_cast<std::uint32_t>(queue.size()));
}

}  // namespace toktier::bpe
