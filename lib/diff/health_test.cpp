#include "diff/health.hpp"

#include <doctest/doctest.h>

using namespace toktier;

TEST_CASE("entries that become themselves, others, nothing, and share a text") {
  // "abc" is no result of a merge; byte pieces share their texts with letters or are no characters.
  const Tokenizer tokenizer = Tokenizer::load_bytes(
      R"({"added_tokens":[{"id":8,"content":"<x>","special":true,"lstrip":false,"rstrip":false,"single_word":false,"normalized":false}],
      "normalizer":null,"pre_tokenizer":null,"post_processor":null,
      "decoder":{"type":"Sequence","decoders":[{"type":"ByteFallback"},{"type":"Fuse"}]},
      "model":{"type":"BPE","byte_fallback":true,"vocab":{"a":0,"b":1,"c":2,"ab":3,"abc":4,"<0x61>":5,"<0xFF>":6,"<0x09>":7,"<x>":8},
      "merges":["a b"]}})",
      "x");
  const diff::Health health = diff::health_of(tokenizer, 1);
  CHECK(health.entries == 9);
  CHECK(health.themselves == 6);  // a, b, c, ab, tab, <x>
  CHECK(health.others == 2);      // abc, <0x61>
  CHECK(health.partial == 1);     // <0xFF>
  CHECK(health.shared == 1);
  CHECK(health.empty == 0);
  REQUIRE(health.examples.size() == 1);
  CHECK(health.examples[0] == "id 4 \"abc\" -> 3 2");
}
