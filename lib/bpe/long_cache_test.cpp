#include "bpe/long_cache.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <random>
#include <string>

using namespace toktier;
using bpe::LongCache;

namespace {

// Ids that are a function of bytes and space, as in the model.
std::vector<TokenId> ids_of(const std::string& bytes, unsigned space) {
  std::vector<TokenId> ids;
  for (std::size_t i = 0; i < bytes.size(); i += 5)
    ids.push_back(static_cast<TokenId>(bytes[i]) * 31 + space);
  return ids;
}

}  // namespace

TEST_CASE("the long cache gives back what was put in, or nothing") {
  std::mt19937 rng(11);
  std::size_t hits = 0, misses = 0;
  for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 17, std::size_t{1} << 22}) {
    LongCache cache(budget);
    for (int i = 0; i < 60000; ++i) {
      const std::size_t length = LongCache::kShortest + rng() % (rng() % 8 == 0 ? 1200 : 40);
      // Few letters and few distinct texts of a length, so that texts come again.
      std::string bytes(length, 'a');
      bytes[rng() % length] = static_cast<char>('a' + rng() % 3);
      const unsigned space = rng() % 2;
      const auto found = cache.find(bytes, space);
      const std::vector<TokenId> expected = ids_of(bytes, space);
      if (found.empty()) {
        ++misses;
        cache.insert(bytes, space, expected);
        const auto again = cache.find(bytes, space);
        if (!again.empty()) REQUIRE(std::vector<TokenId>(again.begin(), again.end()) == expected);
      } else {
        ++hits;
        REQUIRE(std::vector<TokenId>(found.begin(), found.end()) == expected);
      }
    }
    CHECK(cache.bytes() <= budget);
    if (budget == 0) CHECK(hits == 0);
  }
  fmt::print("{} hits, {} misses\n", hits, misses);
  CHECK(hits > 20'000);
  CHECK(misses > 20'000);
}

TEST_CASE("equal bytes of two spaces are two keys") {
  LongCache cache(1 << 20);
  const std::string bytes(20, '-');
  const TokenId one = 1, two = 2;
  cache.insert(bytes, 0, {&one, 1});
  CHECK(cache.find(bytes, 1).empty());
  cache.insert(bytes, 1, {&two, 1});
  REQUIRE(cache.find(bytes, 0).size() == 1);
  CHECK(cache.find(bytes, 0)[0] == 1);
  CHECK(cache.find(bytes, 1)[0] == 2);
}
