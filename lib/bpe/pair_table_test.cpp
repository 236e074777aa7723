#include "bpe/pair_table.hpp"

#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <map>
#include <random>

using namespace toktier;
using bpe::Merged;
using bpe::PairTable;

namespace {

using Plain = std::map<std::pair<bpe::Symbol, bpe::Symbol>, Merged>;

std::size_t check(const PairTable& table, const Plain& plain, bpe::Symbol symbols,
                  std::mt19937& rng) {
  std::size_t hits = 0;
  const auto ask = [&](bpe::Symbol a, bpe::Symbol b) {
    const Merged got = table.find(a, b);
    const auto known = plain.find({a, b});
    REQUIRE(got.exists() == (known != plain.end()));
    if (!got.exists()) return;
    REQUIRE(got.priority == known->second.priority);
    REQUIRE(got.result == known->second.result);
    ++hits;
  };
  for (const auto& [pair, merged] : plain) ask(pair.first, pair.second);
  for (int i = 0; i < 20000; ++i)
    ask(static_cast<bpe::Symbol>(rng() % symbols), static_cast<bpe::Symbol>(rng() % symbols));
  // Symbols beyond those of the table, and the place of no pair.
  for (bpe::Symbol s = 0; s < 40; ++s) {
    ask(symbols + s, s);
    ask(s, PairTable::kMaxSymbols - 1);
  }
  REQUIRE(!table.resolve(PairTable::nowhere()).exists());
  return hits;
}

}  // namespace

TEST_CASE("the pair table answers as a map of the pairs") {
  std::mt19937 rng(3);
  std::size_t hits = 0, tables = 0, largest = 0;
  for (const bpe::Symbol symbols : {1U, 2U, 3U, 50U, 300U, 60'000U, 262'144U, (1U << 21) - 2}) {
    for (const std::size_t pairs : {0UL, 1UL, 5UL, 400UL, 30'000UL}) {
      Plain plain;
      std::vector<PairTable::Entry> entries;
      for (std::size_t i = 0; i < pairs; ++i) {
        const auto a = static_cast<bpe::Symbol>(rng() % symbols),
                   b = static_cast<bpe::Symbol>(rng() % symbols),
                   r = static_cast<bpe::Symbol>(rng() % symbols);
        const auto priority = static_cast<std::uint32_t>(rng() % (3 * pairs + 1));
        entries.push_back({a, b, priority, r});
        plain[{a, b}] = {priority, r};  // of equal pairs the last counts
      }
      PairTable table;
      table.build(entries);
      REQUIRE(table.pairs() == plain.size());
      hits += check(table, plain, symbols, rng);
      largest = std::max(largest, table.bytes());
      ++tables;
    }
  }
  fmt::print("{} tables, {} hits, largest {} bytes\n", tables, hits, largest);
  CHECK(hits > 100'000);
}

TEST_CASE("pairs that crowd into few buckets stay apart") {
  // All pairs of a small set: their images under the multiplication are spread, so crowd a table by
  // neighbouring symbols instead, many to a bucket, with more pairs than one bucket has places.
  std::mt19937 rng(4);
  Plain plain;
  std::vector<PairTable::Entry> entries;
  for (bpe::Symbol a = 0; a < 180; ++a) {
    for (bpe::Symbol b = 0; b < 180; ++b) {
      if (rng() % 10 < 3) continue;
      const auto priority = static_cast<std::uint32_t>(entries.size());
      entries.push_back({a, b, priority, (a * 7 + b) % 180});
      plain[{a, b}] = {priority, (a * 7 + b) % 180};
    }
  }
  PairTable table;
  table.build(entries);
  CHECK(check(table, plain, 180, rng) > 20'000);
}

TEST_CASE("limits of the pair table are errors") {
  PairTable table;
  CHECK_THROWS_AS(table.build({{PairTable::kMaxSymbols, 1, 0, 2}}), Error);
  CHECK_THROWS_AS(table.build({{1, 1, PairTable::kMaxPriority + 1, 2}}), Error);
  table.build({{PairTable::kMaxSymbols - 1, 1, 5, 2}});
  CHECK(table.find(PairTable::kMaxSymbols - 1, 1).result == 2);
}
