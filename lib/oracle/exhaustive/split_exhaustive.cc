// Every string over the character classes of every chain, as long as a budget allows, against the
// split oracle. TOKTIER_SPLIT_BUDGET: strings a chain (default 2,000,000).

#include "oracle/testing/split_check.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace toktier::oracle {

TEST_CASE("every small string is cut as the split oracle cuts it") {
  const char* set = std::getenv("TOKTIER_SPLIT_BUDGET");
  const std::uint64_t budget = set != nullptr ? std::strtoull(set, nullptr, 10) : 2000000;
  std::uint64_t compared = 0;
  std::size_t refused = 0;
  const auto cases = testing::chain_cases();
  REQUIRE(!cases.empty());
  for (const testing::ChainCase& c : cases) {
    try {
      testing::SplitCheck check(c);
      const auto letters = check.pretok().alphabet(1);
      const auto more = check.pretok().alphabet(2);
      const std::size_t longest = testing::longest_within(letters.size(), budget);
      const std::size_t longest_more = testing::longest_within(more.size(), budget);
      check.every_string(letters, longest);
      check.every_string(more, longest_more);
      check.random_strings(check.pretok().alphabet(6), budget / 10, 60, 20260102);
      CHECK_MESSAGE(check.tally().differ == 0,
                    c.name << ": first in hex " << check.tally().first_difference);
      fmt::print("{}: {} letters to length {}, {} to {}, random: {} compared, {} gave up\n", c.name,
                 letters.size(), longest, more.size(), longest_more, check.tally().compared,
                 check.tally().gave_up);
      compared += check.tally().compared;
    } catch (const Error& error) {
      REQUIRE(error.code() == ErrorCode::unsupported);
      fmt::print("{}: skipped: {}\n", c.name, error.what());
      ++refused;
    }
  }
  fmt::print("split exhaustive: {} chains, {} skipped, {} texts compared\n", cases.size(), refused,
             compared);
}

}  // namespace toktier::oracle
