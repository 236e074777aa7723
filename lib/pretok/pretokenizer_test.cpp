#include "pretok/pretokenizer.hpp"

#include "pretok/automaton.hpp"
#include "pretok/fast_scanner.hpp"
#include "pretok/matcher.hpp"
#include "pretok/sync_automaton.hpp"
#include "pretok/testing/chain_table.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <random>

namespace toktier::pretok {

namespace {

std::string run(std::string_view chain, std::string_view text, std::uint32_t base = 0) {
  const auto p = PreTokenizer::compile(parse_chain(chain), model::Reference::hf_tokenizers);
  unicode::AlignedText aligned;
  aligned.reset(text, base, true);
  std::vector<Piece> pieces;
  p.run(aligned, pieces);
  std::string out;
  for (const Piece& piece : pieces) {
    if (!out.empty()) out += '/';
    out += aligned.text().substr(piece.begin, piece.end - piece.begin);
  }
  return out;
}

std::vector<std::uint32_t> plain_ends(const Automaton& a, std::string_view text) {
  std::vector<std::uint32_t> ends;
  std::uint32_t reach = 0;
  for (std::uint32_t at = 0; at < text.size();) {
    at = automaton_match(a, text, at, &reach);
    ends.push_back(at);
  }
  return ends;
}

std::vector<std::uint32_t> scan_ends(const PreTokenizer& p, std::string_view text, std::size_t cap,
                                     std::uint32_t from = 0) {
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> ends(cap);
  for (std::uint32_t at = from; at < text.size();) {
    const std::size_t count = p.scan(text, &at, ends.data(), cap);
    REQUIRE(count > 0);
    all.insert(all.end(), ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

// Few letters a string, so that runs, rewinds and repetitions are common.
std::string random_text(std::mt19937& random, const std::vector<char32_t>& alphabet,
                        std::size_t longest) {
  std::vector<char32_t> some;
  for (std::size_t i = 0; i < 1 + random() % 6; ++i)
    some.push_back(alphabet[random() % alphabet.size()]);
  std::string text;
  for (std::size_t i = 1 + random() % longest; i > 0; --i) {
    unicode::append_utf8(text, random() % 8 == 0 ? alphabet[random() % alphabet.size()]
                                                 : some[random() % some.size()]);
  }
  return text;
}

}  // namespace

TEST_CASE("every step does what the reference does") {
  CHECK(run("Split string merged_with_previous 0 -", "the-final--countdown") ==
        "the-/final-/-/countdown");
  CHECK(run("Split string contiguous 0 -", "the-final--countdown") == "the/-/final/--/countdown");
  CHECK(run("Split string isolated 0 ", "ab") == "a/b");
  CHECK(run("Whitespace", "Hey friend!  How_are you?") == "Hey/friend/!/How_are/you/?");
  CHECK(run("Bert", "Hey friend!     How are you?!?") == "Hey/friend/!/How/are/you/?/!/?");
  CHECK(run("Digits 0", "Hey 123 friend!") == "Hey /123/ friend!");
  CHECK(run("Digits 1", "Hey 123 friend!") == "Hey /1/2/3/ friend!");
  CHECK(run("FixedLength 5", "Hello world") == "Hello/ worl/d");
  CHECK(run("CharDelimiterSplit 7C", "a||b") == "a/b");
  CHECK(run("UnicodeScripts", "  ab \xE4\xB8\x80") == "ab /\xE4\xB8\x80");  // leading blanks vanish
  CHECK(run("Metaspace _ always 1", "Hey  you") == "_Hey/_/_you");
  CHECK(run("Metaspace _ first 1", "Hey you", 7) == "Hey/_you");
  CHECK(run("WhitespaceSplit\tMetaspace _ first 1", "a b") == "_a/b");
  CHECK(run("Punctuation isolated\tByteLevel 1 1", "a!b") == " a/ !/ b");
  // Splits after ByteLevel see mapped characters: U+00B2 is C2 B2, and the character for B2 is a
  // number.
  CHECK(run("ByteLevel 0 0\tDigits 1", "a\xC2\xB2") == "a\xC2/\xB2");
  CHECK(run("ByteLevel 0 1", "") == "");
  CHECK_THROWS_AS(run("ByteLevel 0 1\tMetaspace _ first 1", "a"), Error);
  CHECK_THROWS_AS(run("FixedLength 0", "a"), Error);
}

TEST_CASE("streaming scan equals the plain automaton, for any array size") {
  std::size_t streaming = 0;
  std::uint64_t texts = 0;
  for (const auto& row : testing::chain_rows()) {
    const auto p = PreTokenizer::compile(row.steps, row.reference);
    if (!p.streams()) continue;
    CAPTURE(row.name);
    ++streaming;
    const auto alphabet = p.alphabet(3);
    std::mt19937 random(1);
    for (int n = 0; n < 3000; ++n, ++texts) {
      const std::string text = random_text(random, alphabet, n % 100 == 0 ? 2000 : 40);
      const auto expected = plain_ends(*p.automaton(), text);
      REQUIRE(scan_ends(p, text, 64) == expected);
      REQUIRE(scan_ends(p, text, 1 + static_cast<std::size_t>(n) % 7) == expected);
    }
  }
  fmt::print("scan: {} chains stream, {} texts\n", streaming, texts);
  CHECK(streaming >= 20);
}

TEST_CASE("certain boundaries are boundaries of the whole text, and scanning from them agrees") {
  std::uint64_t certain = 0;
  for (const auto& row : testing::chain_rows()) {
    const auto p = PreTokenizer::compile(row.steps, row.reference);
    if (!p.streams()) continue;
    CAPTURE(row.name);
    const SyncAutomaton sync(*p.automaton());
    CHECK(sync.verify() == "");
    const auto alphabet = p.alphabet(3);
    std::mt19937 random(2);
    for (int n = 0; n < 2000; ++n) {
      const std::string text = random_text(random, alphabet, 60);
      const auto ends = plain_ends(*p.automaton(), text);
      for (std::uint32_t from = 1; from < text.size();
           from += 1 + static_cast<std::uint32_t>(random() % 5)) {
        const std::uint32_t at = p.certain_boundary_from(text, from);
        if (at == text.size()) continue;
        ++certain;
        const auto found = std::lower_bound(ends.begin(), ends.end(), at);
        REQUIRE(found != ends.end());
        REQUIRE(*found == at);
        REQUIRE(std::vector<std::uint32_t>(found + 1, ends.end()) == scan_ends(p, text, 64, at));
      }
    }
    fmt::print("sync {}: {} states\n", row.name, sync.states());
  }
  fmt::print("sync: {} certain boundaries checked\n", certain);
  CHECK(certain > 100000);
}

TEST_CASE("what lies past the reach of a piece cannot change it") {
  std::uint64_t final_pieces = 0;
  for (const auto& row : testing::chain_rows()) {
    const auto p = PreTokenizer::compile(row.steps, row.reference);
    if (!p.streams()) continue;
    CAPTURE(row.name);
    const auto alphabet = p.alphabet(3);
    std::mt19937 random(3);
    std::vector<std::uint32_t> ends(128);
    std::vector<std::uint32_t> reaches(128);
    for (int n = 0; n < 1500; ++n) {
      const std::string text = random_text(random, alphabet, 40);
      const std::string longer = text + random_text(random, alphabet, 10);
      std::uint32_t at = 0;
      const std::size_t count = p.scan(text, &at, ends.data(), reaches.data(), ends.size());
      REQUIRE(at == text.size());
      const auto other = plain_ends(*p.automaton(), longer);
      for (std::size_t i = 0; i < count && reaches[i] <= text.size(); ++i, ++final_pieces) {
        REQUIRE(other[i] == ends[i]);
      }
    }
  }
  fmt::print("reach: {} pieces final before the text ended\n", final_pieces);
  CHECK(final_pieces > 100000);
}

TEST_CASE("the scanner reads each character a bounded number of times on hostile texts") {
  const std::pair<const char*, std::string> texts[] = {
      {"blanks then a letter", std::string(200000, ' ') + "a"},
      {"newlines and blanks",
       [] {
         std::string s;
         for (int i = 0; i < 20000; ++i) s += "\n         ";
         return s + "x";
       }()},
      {"case flips",
       [] {
         std::string s;
         for (int i = 0; i < 50000; ++i) s += "aAAb";
         return s;
       }()},
      {"digits", std::string(200000, '7')},
      {"apostrophes", std::string(200000, '\'')},
      {"capitals", std::string(200000, 'A') + "a"},
  };
  double worst = 0;
  for (const auto& row : testing::chain_rows()) {
    if (row.name == "rewinds") continue;  // quadratic on purpose, for any scanner of its kind
    const auto p = PreTokenizer::compile(row.steps, row.reference);
    if (!p.streams()) continue;
    const FastScanner scanner(*p.automaton());
    for (const auto& [what, text] : texts) {
      CAPTURE(row.name);
      CAPTURE(what);
      std::uint64_t steps = 0;
      std::vector<std::uint32_t> ends(1 << 18);
      for (std::uint32_t at = 0; at < text.size();) {
        REQUIRE(scanner.scan(text, &at, ends.data(), ends.size(), &steps) > 0);
      }
      const double each = static_cast<double>(steps) / static_cast<double>(text.size());
      worst = std::max(worst, each);
      CHECK(each < 4);
    }
  }
  fmt::print("scan steps a byte on hostile texts: at most {:.2f}\n", worst);
}

}  // namespace toktier::pretok
