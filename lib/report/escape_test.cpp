#include "report/escape.hpp"

#include "report/table.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace toktier::report;

TEST_CASE("escape shows what is not printable ASCII") {
  CHECK(escape("a\tb\n\\") == "a\\tb\\n\\\\");
  CHECK(escape("\xC3\xA9\xF0\x9F\x98\x80") == "\\u{E9}\\u{1F600}");
  CHECK(escape("\xC3(\xFF") == "\\xC3(\\xFF");
  CHECK(escape(std::string_view("\0", 1)) == "\\u{0}");
  CHECK(escape_preview("aaaaaaaaaa", 4) == "aaaa...(+6 bytes)");
  CHECK(escape_preview("aaaa", 4) == "aaaa");
}

TEST_CASE("unescape undoes escape for all bytes") {
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes(random() % 16, '\0');
    for (char& c : bytes) {
      c = static_cast<char>(round % 2 == 0 ? "\xC3\xA9\xE2\x82\xAC\\ux{}"[random() % 11]
                                           : static_cast<char>(random() % 256));
    }
    CHECK(unescape(escape(bytes)) == bytes);
  }
  CHECK(unescape("\\u00e9") == "\xC3\xA9");
}

TEST_CASE("malformed escapes are refused") {
  for (const char* text : {"\\", "\\q", "\\x1", "\\xg0", "\\u{", "\\u{}", "\\u{110000}", "\\u12",
                           "\\ud800", "\\u{41"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(unescape(text), toktier::Error);
  }
}

TEST_CASE("shell words") {
  CHECK(shell_quote("a/b.json") == "a/b.json");
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("it's") == "'it'\\''s'");
}

TEST_CASE("table columns line up and line ends are clean") {
  Table table({{"name", Table::Align::left}, {"n", Table::Align::right}, {"", Table::Align::left}});
  table.add({"a", "12,345"});
  table.add({"\xC3\xA9t\xC3\xA9", "7", "x\ny"});
  CHECK(table.text() == "name       n\na     12,345\n\xC3\xA9t\xC3\xA9        7  x y\n");
  CHECK_THROWS_AS(table.add({"1", "2", "3", "4"}), toktier::Error);
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1,234,567");
}
