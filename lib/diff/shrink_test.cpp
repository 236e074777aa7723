#include "diff/shrink.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace toktier::diff;

TEST_CASE("a long text shrinks to what matters") {
  std::string text(20000, 'x');
  text.replace(12345, 3, "q\xC3\xA9");
  text.replace(15000, 1, "Z");
  // Fails when q, later e-acute, later Z occur.
  const auto fails = [](std::string_view t) {
    const auto q = t.find('q');
    const auto e = q == std::string_view::npos ? q : t.find("\xC3\xA9", q);
    return e != std::string_view::npos && t.find('Z', e) != std::string_view::npos;
  };
  const Shrunk shrunk = shrink(text, 12345, fails, 2000);
  CHECK(shrunk.finished);
  CHECK(shrunk.text == "q\xC3\xA9Z");
}

TEST_CASE("local faults need few steps, and units become simple") {
  std::string text(100000, 'x');
  text[77777] = '%';
  text[77778] = '7';
  const auto fails = [](std::string_view t) {
    const auto at = t.find('%');
    return at != std::string_view::npos && at + 1 < t.size();
  };
  const Shrunk shrunk = shrink(text, 77777, fails, 100);
  CHECK(shrunk.finished);
  CHECK(shrunk.text == "%a");
}

TEST_CASE("the step limit holds and the result still fails") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += static_cast<char>(random() % 256);
    std::size_t calls = 0;
    const auto fails = [&](std::string_view t) {
      ++calls;
      return std::count(t.begin(), t.end(), '\xFF') >= 1 || t == text;
    };
    const std::size_t limit = 1 + random() % 60;
    const Shrunk shrunk = shrink(text, random() % 300, fails, limit);
    CHECK(calls <= limit);
    CHECK(shrunk.steps == calls);
    CHECK(fails(shrunk.text));
  }
}
