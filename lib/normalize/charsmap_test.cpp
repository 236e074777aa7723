#include "normalize/charsmap.hpp"

#include "normalize/testing/step_arguments.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace toktier;
using normalize::Charsmap;

TEST_CASE("shortest and longest keys") {
  const Charsmap map(normalize::testing::tiny_charsmap(), Charsmap::Dialect::hf_tokenizers);
  CHECK(map.shortest("\xEF\xAC\x81z") == std::optional<std::string_view>("fi"));
  CHECK(map.shortest("\x01") == std::optional<std::string_view>(""));
  CHECK_FALSE(map.shortest("x").has_value());
  CHECK_FALSE(map.shortest("").has_value());
  CHECK_FALSE(map.shortest("A").has_value());
  const auto found = map.longest("A\xCC\x80q", 32);
  REQUIRE(found.has_value());
  CHECK(found->text == "\xC3\x80");
  CHECK(found->key_bytes == 3);
}

TEST_CASE("damaged maps are refused, or read within their bounds") {
  const std::string good = normalize::testing::tiny_charsmap();
  std::mt19937 random(11);
  std::size_t refused = 0;
  std::size_t read = 0;
  const auto attempt = [&](const std::string& blob) {
    for (const Charsmap::Dialect dialect :
         {Charsmap::Dialect::hf_tokenizers, Charsmap::Dialect::sentencepiece}) {
      try {
        const Charsmap map(blob, dialect);
        ++read;
        for (int i = 0; i < 200; ++i) {
          std::string key;
          for (int k = 0; k < 5; ++k) key.push_back(static_cast<char>(random() & 0xFF));
          map.shortest(key);
          map.longest(key, 32);
        }
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::input);
        ++refused;
      }
    }
  };
  for (std::size_t cut = 0; cut < good.size(); cut += 97) attempt(good.substr(0, cut));
  for (int round = 0; round < 400; ++round) {
    std::string blob = good;
    for (int i = 0; i <= round % 3; ++i)
      blob[random() % blob.size()] = static_cast<char>(random() & 0xFF);
    attempt(blob);
  }
  attempt("");
  attempt(std::string("\xFF\xFF\xFF\xFF", 4));
  attempt(std::string(4, '\0'));
  CHECK(refused > 100);
  CHECK(read > 50);
}
