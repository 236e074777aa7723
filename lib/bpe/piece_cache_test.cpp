#include "bpe/piece_cache.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using namespace toktier;
using bpe::MediumCache;
using bpe::MediumKey;
using bpe::PieceCache;

namespace {

// Texts of one length that differ in one byte, NUL bytes among them, each with noise behind it.
std::vector<std::string> texts(std::size_t n) {
  std::vector<std::string> out;
  for (const char fill : {'a', '\0'}) {
    out.emplace_back(n, fill);
    for (std::size_t at = 0; at < n; ++at) {
      out.emplace_back(n, fill);
      out.back()[at] = 'b';
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a key is the bytes of its piece, however it was read") {
  for (std::size_t n = 1; n <= MediumKey::kLongest; ++n) {
    const bool medium = n >= MediumKey::kShortest;
    for (const std::string& text : texts(n)) {
      const std::string noisy = text + "0123456789abcdefghijklmnopqrstuv";
      if (medium) {
        const MediumKey slow = MediumKey::of(text.data(), n, false, false);
        CHECK(slow == MediumKey::of(noisy.data(), n, true, false));
        CHECK(slow.bytes() == text);
        CHECK(!(slow == MediumKey::of(text.data(), n, false, true)));
        CHECK(MediumKey::of(noisy.data(), n, true, true).bytes() == text);
      } else {
        const auto slow = PieceCache::short_key(text.data(), n, false);
        CHECK(slow == PieceCache::short_key(noisy.data(), n, true));
        CHECK(PieceCache::length(slow) == n);
        CHECK(!(slow == PieceCache::marked(slow)));
        CHECK(PieceCache::length(PieceCache::marked(slow)) == n);
      }
    }
  }
}

TEST_CASE("a key counts the characters of its piece") {
  std::mt19937 rng(9);
  const std::string parts[] = {"a", "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80",
                               std::string(1, '\0')};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    std::size_t characters = 0;
    while (text.size() < MediumKey::kShortest || (text.size() < 28 && rng() % 4 != 0)) {
      text += parts[rng() % 5];
      ++characters;
    }
    if (text.size() > MediumKey::kLongest) continue;
    REQUIRE(MediumKey::of(text.data(), text.size(), false, i % 2 == 0).characters() == characters);
  }
}

TEST_CASE("a cache gives back what was put in, or nothing, within its budget") {
  std::mt19937 rng(8);
  for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 17, std::size_t{1} << 22}) {
    MediumCache cache(budget);
    std::map<std::string, std::vector<TokenId>> plain;
    std::size_t hits = 0;
    for (int i = 0; i < 60'000; ++i) {
      std::string text(16 + rng() % 16, 'a');
      for (int k = 0; k < 3; ++k) text[rng() % text.size()] = static_cast<char>('a' + rng() % 3);
      const MediumKey key = MediumKey::of(text.data(), text.size(), false, false);
      if (const MediumCache::Entry* e = cache.find_anywhere(key)) {
        ++hits;
        std::vector<TokenId> ids(e->ids, e->ids + MediumCache::count(*e));
        ids[0] &= MediumCache::kMaxId;
        REQUIRE(ids == plain.at(text));
        continue;
      }
      std::vector<TokenId> ids(1 + rng() % 9);  // some are too many to be kept
      for (TokenId& id : ids) id = static_cast<TokenId>(rng());
      if (ids.size() <= MediumCache::kMaxIds && rng() % 8 != 0)
        for (TokenId& id : ids) id &= MediumCache::kMaxId;
      plain[text] = ids;
      cache.insert(key, ids.data(), ids.size());
    }
    if (budget != 0) {
      CHECK(hits > 5000);
      CHECK(cache.bytes() <= budget);
    } else {
      CHECK(hits == 0);
    }
  }
}
