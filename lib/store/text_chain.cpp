#include "store/text_chain.hpp"

#include <xxhash.h>

namespace toktier::store {

TextChain::TextChain(const Maker& maker) {
  const std::string key = maker.key();
  last_ = XXH3_64bits(key.data(), key.size());
}

TextChain TextChain::behind(std::uint64_t last) {
  TextChain chain;
  chain.last_ = last;
  return chain;
}

void TextChain::add(std::string_view text) {
  for (; text.size() >= kStretch; text.remove_prefix(kStretch)) {
    last_ = XXH3_64bits_withSeed(text.data(), kStretch, last_);
    entries_.push_back(last_);
  }
}

void TextChain::add(const session::State& state, std::size_t begin) {
  const std::size_t end = state.plain_bytes() / kStretch * kStretch;
  std::string rest;  // not yet a stretch
  std::size_t at = 0;
  for (const session::State::Leaf& leaf : state.leaves) {
    if (at >= end) break;
    const std::size_t size = leaf.bytes();
    if (at + size > begin) {
      const std::size_t from = begin > at ? begin - at : 0;
      const std::size_t to = end < at + size ? end - at : size;
      rest += leaf.text().substr(from, to - from);
      add(rest);
      rest.erase(0, rest.size() / kStretch * kStretch);
    }
    at += size;
  }
}

std::size_t known_entries(const std::vector<std::uint64_t>& chain,
                          const std::function<bool(std::uint64_t)>& known) {
  std::size_t low = 0;
  std::size_t high = chain.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (known(chain[middle - 1]))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace toktier::store
