#include "unicode/aligned_text.hpp"

#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace toktier;
using unicode::AlignedText;

TEST_CASE("an untouched text maps through its characters") {
  AlignedText text;
  text.reset("a\xC3\xA9z", 100, true);
  CHECK(text.identity());
  CHECK(text.source(2) == Span{101, 103});
  CHECK(text.original({2, 4}) == Span{101, 104});
  CHECK(text.original({1, 1}) == Span{101, 101});
}

TEST_CASE("a rewrite that only keeps leaves the text as it was") {
  AlignedText text;
  const std::string original = "abc";
  text.reset(original, 0, true);
  AlignedText::Rewrite rewrite(text);
  rewrite.keep(2);
  rewrite.finish();
  CHECK(text.identity());
  CHECK(text.text().data() == original.data());
}

TEST_CASE("keep, drop, put and insert") {
  for (const bool track : {true, false}) {
    AlignedText text;
    text.reset("a\xC3\xA9zz", 10, track);
    AlignedText::Rewrite rewrite(text);
    rewrite.keep(1);
    rewrite.drop(2);
    rewrite.insert("EE");
    rewrite.keep(1);
    rewrite.put("!", {14, 15});
    rewrite.drop(1);
    rewrite.finish();
    CHECK(text.text() == "aEEz!");
    if (!track) continue;
    CHECK(text.source(0) == Span{10, 11});
    CHECK(text.source(1) == Span{11, 13});
    CHECK(text.original({2, 5}) == Span{11, 15});
  }
}

TEST_CASE("prepend and append align as the reference does") {
  AlignedText text;
  text.reset("\xC3\xA9z", 5, true);
  text.prepend("_");
  text.append("$$");
  CHECK(text.text() == "_\xC3\xA9z$$");
  CHECK(text.source(0) == Span{5, 7});
  CHECK(text.source(1) == Span{5, 7});
  CHECK(text.source(5) == Span{7, 8});
  text.reset("", 5, true);
  text.prepend("_");
  CHECK(text.text().empty());
  text.append("x");
  CHECK(text.text() == "x");
  CHECK(text.source(0) == Span{5, 5});
}

TEST_CASE("every byte of a replacement stands for the byte it replaces") {
  AlignedText text;
  text.reset("ab1c1", 7, true);
  text.replace_byte('1', "xyz");
  CHECK(text.text() == "abxyzcxyz");
  const std::vector<Span> expected = {{7, 8},   {8, 9},   {9, 10},  {9, 10}, {9, 10},
                                      {10, 11}, {11, 12}, {11, 12}, {11, 12}};
  for (std::uint32_t i = 0; i < expected.size(); ++i) CHECK(text.source(i) == expected[i]);
  text.replace_byte('c', "");
  CHECK(text.text() == "abxyzxyz");
  CHECK(text.source(5) == Span{11, 12});
}

TEST_CASE("a transformation follows the changes") {
  AlignedText text;
  text.reset("e\xCC\x81\xEF\xAC\x81z", 0, true);  // e, U+0301, U+FB01, z
  AlignedText::Transform t(text);
  t.push("\xC3\xA9", -1);
  t.push("f", 0);
  t.push("i", 1);
  t.push("z", 0);
  t.finish();
  CHECK(text.text() ==
        "\xC3\xA9"
        "fiz");
  CHECK(text.source(0) == Span{0, 1});
  CHECK(text.source(2) == Span{3, 6});
  CHECK(text.source(3) == Span{3, 6});
  CHECK(text.source(4) == Span{6, 7});
}

TEST_CASE(
    "characters that stand for nothing are left out of a transformation, as in the reference") {
  for (const bool track : {true, false}) {
    AlignedText text;
    text.reset("", 0, track);
    text.append("x");
    AlignedText::Transform t(text);
    t.push("x", 0);
    t.finish();
    CHECK(text.text() == "xx");

    text.reset("ab", 0, track);
    text.prepend("");
    CHECK(text.text() == "ab");
    AlignedText::Transform u(text);
    u.push("a", 0);
    CHECK_THROWS_AS(u.push("b", 0), Error);
  }
}
