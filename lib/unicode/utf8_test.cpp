#include "unicode/utf8.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace toktier::unicode;

TEST_CASE("every scalar value survives encoding and decoding, every surrogate is ill-formed") {
  std::string all;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::size_t before = all.size();
    append_utf8(all, c);
    const Decoded d = decode(all.data() + before);
    if (d.code_point != c || d.length != all.size() - before) FAIL("code point ", c);
    if (sequence_length(static_cast<unsigned char>(all[before])) != d.length) FAIL("length of ", c);
  }
  CHECK_FALSE(find_invalid_utf8(all).has_value());
  CHECK(count_code_points(all) == 0x110000 - 0x800);
  for (char32_t c = 0xD800; c <= 0xDFFF; ++c) {
    std::string text = "abcdefghij";
    append_utf8(text, c);
    if (find_invalid_utf8(text) != std::optional<std::size_t>(10)) FAIL("surrogate ", c);
  }
}

TEST_CASE("ill-formed sequences are found at every offset and replaced part by part") {
  struct Row {
    std::string_view bytes;
    std::string_view replaced;  // R stands for U+FFFD
  };
  const Row rows[] = {
      {"\x80", "R"},
      {"\xC0\xAF", "RR"},
      {"\xC1\xBF", "RR"},
      {"\xE0\x80\xAF", "RRR"},
      {"\xED\xA0\x80", "RRR"},
      {"\xF4\x90\x80\x80", "RRRR"},
      {"\xF5\x80", "RR"},
      {"\xE2\x82", "R"},
      {"\xE2\x82"
       "A",
       "RA"},
      {"\xF0\x9F\x98", "R"},
      {"\xF0\x9F\x98\x41", "RA"},
      {"\xF0\x80\x80\x41", "RRRA"},
      {"\xF1\x80\xE1\x80\xC0", "RRR"},
      {"\xFF\xFE", "RR"},
      {"\xC3", "R"},
  };
  for (const Row& row : rows) {
    for (std::size_t pad = 0; pad < 20; ++pad) {
      const std::string before(pad, 'x');
      const std::string text = before + std::string(row.bytes);
      CHECK(find_invalid_utf8(text) == std::optional<std::size_t>(pad));
      std::string want = before;
      for (const char c : row.replaced)
        want += c == 'R' ? std::string("\xEF\xBF\xBD") : std::string(1, c);
      CHECK(replace_invalid_utf8(text + "tail") == want + "tail");
    }
  }
  CHECK(replace_invalid_utf8("") == "");
}
