#include "bpe/byte_trie.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using toktier::bpe::ByteTrie;

TEST_CASE("prefix walks equal a search in a map") {
  std::mt19937 rng(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> keys;
    std::map<std::string, toktier::TokenId> map;
    for (toktier::TokenId i = 0; i < 40; ++i) {
      std::string key;
      for (std::size_t n = 1 + rng() % 5; n > 0; --n)
        key.push_back(static_cast<char>("ab\xFF\0"[rng() % 4]));
      keys.push_back(key);
      map[key] = i;  // the last of equal keys counts
    }
    std::vector<std::pair<std::string_view, toktier::TokenId>> list;
    for (toktier::TokenId i = 0; i < keys.size(); ++i) list.emplace_back(keys[i], i);
    ByteTrie trie;
    trie.build(list);
    std::string text;
    for (int i = 0; i < 60; ++i) text.push_back(static_cast<char>("ab\xFF\0"[rng() % 4]));
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::uint32_t node = ByteTrie::kRoot;
      bool dead = false;
      for (std::size_t end = at; end < text.size(); ++end) {
        if (!dead) node = trie.step(node, static_cast<unsigned char>(text[end]));
        dead |= node == ByteTrie::kDead;
        const auto hit = map.find(text.substr(at, end + 1 - at));
        const toktier::TokenId got = dead ? ByteTrie::kNoValue : trie.value(node);
        REQUIRE(got == (hit == map.end() ? ByteTrie::kNoValue : hit->second));
      }
    }
  }
}
