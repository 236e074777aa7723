#include "pretok/regex_parser.hpp"

#include "pretok/matcher.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

namespace toktier::pretok {

namespace {

std::string pieces(const Matcher& matcher, std::string_view text) {
  std::vector<Stretch> stretches;
  matcher.find_all(text, stretches);
  std::string out;
  for (const Stretch& s : stretches) {
    out += s.match ? '[' : '(';
    out += text.substr(s.begin, s.end - s.begin);
    out += s.match ? ']' : ')';
  }
  return out;
}

std::string onig(std::string_view pattern, std::string_view text) {
  return pieces(Matcher::compile(pattern, onig_dialect()), text);
}
std::string fancy(std::string_view pattern, std::string_view text) {
  return pieces(Matcher::compile(pattern, fancy_dialect()), text);
}

ErrorCode code_of(std::string_view pattern, const Dialect& dialect) {
  try {
    Matcher::compile(pattern, dialect);
  } catch (const Error& error) {
    return error.code();
  }
  FAIL("compiled: " << pattern);
  return ErrorCode::internal;
}

}  // namespace

TEST_CASE("leftmost-first: order decides, not length") {
  CHECK(onig("a|ab", "ab") == "[a](b)");
  CHECK(onig("ab|a", "ab") == "[ab]");
  CHECK(onig("(?:a|ab)(?:c|bcd)", "abcd") == "[abcd]");
  CHECK(onig("a+?b?", "aab") == "[a][ab]");
  CHECK(onig("\\s+(?!\\S)|\\s+", "a   b") == "(a)[  ][ ](b)");
}

TEST_CASE("the two dialects differ where their engines do") {
  CHECK(onig("a{1,2}+b", "aaaab") == "[aaaab]");  // (?:a{1,2})+
  CHECK(fancy("a{1,2}+a", "aaa") == "[aaa]");     // possessive
  CHECK(fancy("a{1,2}+a", "aa") == "(aa)");
  CHECK(onig("a$", "a\na") == "[a](\n)[a]");
  CHECK(fancy("a$", "a\na") == "(a\n)[a]");
  CHECK(onig("a(?i)b|c", "aCac") == "[aC][ac]");  // a(?i:b|c)
  CHECK(fancy("a(?i)b|c", "aBCc") == "[aB][C][c]");
  CHECK(onig("a{,2}b", "aaab") == "(a)[aab]");
  CHECK(onig("x{a}", "x{a}") == "[x{a}]");
}

TEST_CASE("possessive sets, by look-ahead, equal the atomic group") {
  for (const char* text : {"aab", "aaaa", "ab", "b", "aaab", "aaaaaab"}) {
    CAPTURE(text);
    CHECK(fancy("a{1,3}+[ab]", text) == fancy("(?>a{1,3})[ab]", text));
    CHECK(fancy("a++[ab]", text) == fancy("(?>a+)[ab]", text));
    CHECK(fancy("a*+b", text) == fancy("(?>a*)b", text));
    CHECK(fancy("a?+a", text) == fancy("(?>a?)a", text));
  }
}

TEST_CASE("case folding is the engine's, foldings to several characters are refused") {
  CHECK(onig("(?i:'s)", "'S'\xC5\xBF") == "['S]['\xC5\xBF]");
  CHECK(onig("(?i)k", "\xE2\x84\xAA") == "[\xE2\x84\xAA]");
  CHECK(code_of("(?i:ss)", onig_dialect()) == ErrorCode::unsupported);
  CHECK(code_of("(?i:\xC3\x9F)", onig_dialect()) == ErrorCode::unsupported);
  CHECK(fancy("(?i:ss)", "\xC3\x9FsS") == "(\xC3\x9F)[sS]");
}

TEST_CASE("what is not supported is refused by name, what is no pattern as input") {
  for (const char* pattern : {"(a)\\1", "\\bfoo", "\\Kx", "(?<=ab)c", "(a*)*", "a+*", "[a-c-e]",
                              "[]a]", "\\p{Nonsense}", "(?x) a", "\\R", "(?i:[\xC3\x9F])", "a**"}) {
    CAPTURE(pattern);
    CHECK(code_of(pattern, onig_dialect()) == ErrorCode::unsupported);
  }
  for (const char* pattern : {"(a", "a)", "[a", "\\p{L", "[z-a]", "\\", "a\xFF"}) {
    CAPTURE(pattern);
    CHECK(code_of(pattern, onig_dialect()) == ErrorCode::input);
  }
  // The engine refuses these ("target of repeat operator is invalid"), and loads the others.
  for (const char* pattern :
       {"(?:\\z|a)?b", "(?:(?=a)|b)?", "(?:a|(?:b|^))?c", "(?:a|(?<=b))*?c"}) {
    CAPTURE(pattern);
    CHECK(code_of(pattern, onig_dialect()) == ErrorCode::input);
  }
  for (const char* pattern : {"(\\z|a)?b", "(?>\\z|a)?b", "(?i:\\z|a)?b", "(?<n>\\z|a)?b",
                              "(?:\\zx|a)?b", "(?:(\\z)|a)?b", "(?:\\z|a)b"}) {
    CAPTURE(pattern);
    CHECK_NOTHROW(Matcher::compile(pattern, onig_dialect()));
  }
}

TEST_CASE("hostile patterns end in an error, not in a crash") {
  CHECK(code_of(std::string(100000, '('), onig_dialect()) == ErrorCode::unsupported);
  CHECK(code_of(std::string(5000, '('), onig_dialect()) == ErrorCode::unsupported);
  CHECK(code_of(std::string(5000, '['), onig_dialect()) == ErrorCode::unsupported);
  CHECK(code_of("((((a{900}){900}){900}){900})", onig_dialect()) == ErrorCode::unsupported);
  CHECK(code_of("a{99999999999}", onig_dialect()) == ErrorCode::unsupported);
  // Exponentially many states: refused by the automaton, run by the backtracker.
  const Matcher many = Matcher::compile("(?:a|b)*a(?:a|b){13}c", onig_dialect());
  CHECK(many.automaton() == nullptr);
  CHECK(pieces(many, "abababababababababababc") == "[abababababababababababc]");
}

TEST_CASE("the backtracker's work is linear in the text") {
  const Matcher m = Matcher::compile("(?>(?:a|aa|aaa)+)b|(?:a|aa)+c|a", onig_dialect());
  REQUIRE(m.automaton() == nullptr);
  std::uint64_t steps[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    const std::string text(i == 0 ? 2000 : 4000, 'a');
    Backtracker engine(m.program());
    engine.reset(text);
    for (std::uint32_t at = 0; at < text.size(); ++at) CHECK(engine.match(at) == at + 1);
    steps[i] = engine.steps();
  }
  CHECK(steps[1] < steps[0] * 5 / 2);
  CHECK(steps[0] < 2000 * 100);
}

TEST_CASE("both engines agree where both can run") {
  for (const char* pattern :
       {"a|ab|abc", "(?:a|b)*c|[ab]", "a+?b+|b(?!a)", "(?:ab){1,2}|a{2,3}?b?", "[^a]+(?=a)|a"}) {
    CAPTURE(pattern);
    const Matcher m = Matcher::compile(pattern, onig_dialect());
    REQUIRE(m.automaton() != nullptr);
    Backtracker engine(m.program());
    for (std::uint32_t code = 0; code < 6561; ++code) {  // strings of 8 over {a, b, c}
      std::string text;
      for (std::uint32_t i = 0, rest = code; i < 8; ++i, rest /= 3) text += "abc"[rest % 3];
      engine.reset(text);
      for (std::uint32_t at = 0; at < 8; ++at) {
        std::uint32_t reach = 0;
        const std::uint32_t fast = automaton_match(*m.automaton(), text, at, &reach);
        REQUIRE(engine.match(at).value_or(kNoMatch) == fast);
      }
    }
  }
}

}  // namespace toktier::pretok
