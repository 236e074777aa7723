// Every string over the character classes of every chain, as long as a budget allows, against the
// split oracle. TOKTIER_SPLIT_BUDGET: strings a chain (default 2,000,000); TOKTIER_SPLIT_LONGEST:
// longest string (default 12); TOKTIER_SPLIT_ONLY: part of a chain's name. Chains with few classes
// come first.

#include "oracle/exhaustive/all_words.hpp"
#include "oracle/testing/split_check.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace toktier::oracle {

namespace {

std::uint64_t from_environment(const char* name, std::uint64_t standard) {
  const char* set = std::getenv(name);
  return set != nullptr ? std::strtoull(set, nullptr, 10) : standard;
}

testing::Tally operator+(testing::Tally a, const testing::Tally& b) {
  a.compared += b.compared;
  a.gave_up += b.gave_up;
  a.differ += b.differ;
  if (a.first_difference.empty()) a.first_difference = b.first_difference;
  return a;
}

struct Row {
  testing::ChainCase chain;
  std::size_t letters;
};

constexpr std::uint64_t kMostOfTwo = 20000000;  // two characters of each class
constexpr std::uint64_t kMostRandom = 2000000;

testing::Tally every_word(const testing::ChainCase& chain, const std::vector<char32_t>& letters,
                          std::uint64_t budget, std::size_t most) {
  const std::size_t longest = std::min(testing::longest_within(letters.size(), budget), most);
  fmt::print("{}: {} letters to length {}: ", chain.name, letters.size(), longest);
  testing::AllWords words(chain, letters);
  if (words.can_run() && longest <= testing::AllWords::kLongest) {
    words.run(longest);
    fmt::print("{} compared by {} heads, {} of them also whole, {} differ\n",
               words.tally().compared, words.heads(), words.also_split(), words.tally().differ);
    return words.tally();
  }
  testing::SplitCheck check(chain);
  check.every_string(letters, longest);
  fmt::print("{} compared whole, {} differ\n", check.tally().compared, check.tally().differ);
  return check.tally();
}

}  // namespace

TEST_CASE("every small string is cut as the split oracle cuts it") {
  const std::uint64_t budget = from_environment("TOKTIER_SPLIT_BUDGET", 2000000);
  const std::size_t most = from_environment("TOKTIER_SPLIT_LONGEST", 12);
  std::uint64_t compared = 0;
  std::uint64_t gave_up = 0;
  std::size_t refused = 0;
  std::vector<Row> rows;
  const char* only = std::getenv("TOKTIER_SPLIT_ONLY");
  for (const testing::ChainCase& c : testing::chain_cases()) {
    if (only != nullptr && c.name.find(only) == std::string::npos) continue;
    try {
      rows.push_back({c, testing::SplitCheck(c).pretok().alphabet(1).size()});
    } catch (const Error& error) {
      REQUIRE(error.code() == ErrorCode::unsupported);
      fmt::print("{}: skipped: {}\n", c.name, error.what());
      ++refused;
    }
  }
  REQUIRE(!rows.empty());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.letters < b.letters; });
  for (const Row& row : rows) {
    const auto start = std::chrono::steady_clock::now();
    testing::SplitCheck check(row.chain);
    const testing::Tally one = every_word(row.chain, check.pretok().alphabet(1), budget, most);
    const testing::Tally two =
        every_word(row.chain, check.pretok().alphabet(2), std::min(budget, kMostOfTwo), most);
    check.random_strings(check.pretok().alphabet(6), std::min(budget, kMostRandom) / 10, 60,
                         20260102);
    const testing::Tally tally = one + two + check.tally();
    CHECK_MESSAGE(tally.differ == 0, row.chain.name << ": first in hex " << tally.first_difference);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print("{}: {} compared, {} gave up, {} differ, {:.1f} s\n", row.chain.name, tally.compared,
               tally.gave_up, tally.differ, took.count());
    std::fflush(stdout);
    compared += tally.compared;
    gave_up += tally.gave_up;
  }
  fmt::print("split exhaustive: {} chains, {} skipped, {} texts compared, {} gave up\n",
             rows.size() + refused, refused, compared, gave_up);
}

}  // namespace toktier::oracle
