#include "bpe/whole_tokens.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using namespace toktier;
using bpe::PieceCache;
using bpe::WholeTokens;

TEST_CASE("whole tokens answer as a map") {
  std::mt19937 rng(8);
  WholeTokens table;
  std::map<std::string, TokenId> plain;
  const auto text = [&] {
    std::string s(1 + rng() % WholeTokens::kLongest, '\0');
    for (char& c : s) c = static_cast<char>(rng() % 3 == 0 ? 0 : rng() % 4);
    return s;
  };
  table.start(5000);
  for (TokenId id = 0; id < 5000; ++id) {
    const std::string s = text();
    table.add(s, id * 1000);
    plain[s] = id * 1000;  // of equal bytes the last
  }
  std::size_t hits = 0, misses = 0;
  for (int i = 0; i < 50000; ++i) {
    const std::string s = text();
    const TokenId id = table.find(PieceCache::short_key(s.data(), s.size(), false));
    const auto known = plain.find(s);
    REQUIRE(id == (known == plain.end() ? WholeTokens::kNone : known->second));
    ++(known == plain.end() ? misses : hits);
  }
  CHECK(hits > 1000);
  CHECK(misses > 1000);
}
