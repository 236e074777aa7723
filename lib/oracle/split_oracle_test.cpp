#include "oracle/split_oracle.hpp"

#include "oracle/split_pattern_translator.hpp"
#include "oracle/testing/split_check.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace toktier::oracle {

namespace {

std::string shown(const std::vector<Span>& spans, std::string_view text) {
  std::string out;
  for (const Span& s : spans) {
    if (!out.empty()) out += '/';
    out += text.substr(s.begin, s.end - s.begin);
  }
  return out;
}

std::string split(std::string_view chain, std::string_view text,
                  model::Reference reference = model::Reference::hf_tokenizers) {
  const SplitOracle oracle(pretok::parse_chain(chain), reference);
  return shown(oracle.split(text).value(), text);
}

}  // namespace

TEST_CASE("the split oracle cuts as the references document it") {
  CHECK(split("ByteLevel 0 1", "I'll go  now 12!?") == "I/'ll/ go/ / now/ 12/!?");
  CHECK(split("Split string removed 0 -", "the-final--countdown") == "the/final/countdown");
  CHECK(split("Split string isolated 0 -", "the-final--countdown") == "the/-/final/-/-/countdown");
  CHECK(split("Split string merged_with_previous 0 -", "the-final--countdown") ==
        "the-/final-/-/countdown");
  CHECK(split("Split string merged_with_next 0 -", "the-final--countdown") ==
        "the/-final/-/-countdown");
  CHECK(split("Split string contiguous 0 -", "the-final--countdown") == "the/-/final/--/countdown");
  CHECK(split("Split regex removed 1 \\p{L}+", "ab 12,c") == "ab/c");
  CHECK(split("Split regex isolated 0 (?i:'S)", "it'S 'x") == "it/'S/ 'x");
  CHECK(split("Split regex isolated 0 a$", "a\na") == "a/\n/a");
  CHECK(split("Split regex isolated 0 a$", "a\na", model::Reference::tiktoken) == "a\n/a");
  CHECK(split("Split regex isolated 0 [\\p{L}&&[^b]]+", "abba") == "a/bb/a");
}

TEST_CASE("the translator refuses what Boost would read differently") {
  using model::Reference;
  CHECK(translate_split_pattern("[\\p{L}\\P{Lu}]\\p{N}", Reference::hf_tokenizers) ==
        U"[[:L:][:^Lu:]][[:N:]]");
  for (const char* pattern : {"a{1,3}+", "^a", "(?<=a)b", "[a[b]]", "[^a&&[b]]", "\\b"}) {
    CAPTURE(pattern);
    CHECK_THROWS_AS(translate_split_pattern(pattern, Reference::hf_tokenizers), Error);
  }
}

TEST_CASE("pre-tokenizer equals the split oracle on small strings and random ones") {
  const auto cases = testing::chain_cases();
  REQUIRE(!cases.empty());
  std::uint64_t compared = 0;
  std::size_t refused = 0;
  for (const testing::ChainCase& c : cases) {
    try {
      testing::SplitCheck check(c);
      const auto letters = check.pretok().alphabet(1);
      const std::size_t longest = testing::longest_within(letters.size(), 60000);
      check.every_string(letters, longest);
      check.random_strings(check.pretok().alphabet(3), 1500, 60, 20260101);
      CHECK_MESSAGE(check.tally().differ == 0,
                    c.name << ": first in hex " << check.tally().first_difference);
      CHECK(check.tally().compared > 1000);
      fmt::print(
          "{}: all strings of {} letters up to length {}, and random: {} compared, {} gave up "
          "[{}]\n",
          c.name, letters.size(), longest, check.tally().compared, check.tally().gave_up,
          check.pretok().describe());
      compared += check.tally().compared;
    } catch (const Error& error) {
      REQUIRE(error.code() == ErrorCode::unsupported);
      fmt::print("{}: skipped: {}\n", c.name, error.what());
      ++refused;
    }
  }
  fmt::print("split oracle: {} chains, {} skipped, {} texts compared\n", cases.size(), refused,
             compared);
  CHECK(cases.size() - refused >= 20);
}

}  // namespace toktier::oracle
