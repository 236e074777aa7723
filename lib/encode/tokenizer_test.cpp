#include "toktier/tokenizer.hpp"

#include "unicode/utf8.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <random>

using namespace toktier;

namespace {

const Tokenizer& embedded() {
  static const Tokenizer tokenizer = Tokenizer::load("embedded");
  return tokenizer;
}

// Texts that meet every branch: blanks, digits, contractions, scripts, long runs, the special
// token.
std::vector<std::string> nasty_texts(std::size_t count) {
  const std::vector<std::string> parts = {"the",
                                          " quick",
                                          "  ",
                                          "\n",
                                          "\r\n\t",
                                          "'s",
                                          "'LL",
                                          "12345",
                                          "\xE4\xB8\xAD\xE5\x9B\xBD",
                                          "\xF0\x9F\x98\x80",
                                          "e\xCC\x81",
                                          "<|endoftext|>",
                                          "<|end",
                                          "!?",
                                          "_____",
                                          std::string(70, 'a'),
                                          std::string(200, ' '),
                                          "\xC2\xA0",
                                          "\xEA\xB0\x81",
                                          std::string(1, '\0'),
                                          "x"};
  std::mt19937 rng(11);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (std::size_t n = rng() % 12; n > 0; --n) text += parts[rng() % parts.size()];
    texts.push_back(text);
  }
  return texts;
}

// A rank file of all bytes and a few merges, with its pattern beside it.
Tokenizer small_rank_file(const std::string& pattern = R"( ?[a-z]+|\\s+|[^a-z\\s]+)") {
  std::string ranks;
  const auto base64 = [](std::string_view bytes) {
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      unsigned v = 0;
      for (std::size_t k = 0; k < 3; ++k)
        v = (v << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
      for (std::size_t k = 0; k < 4; ++k)
        out += i + k > bytes.size() ? '=' : kDigits[(v >> (18 - 6 * k)) & 63];
    }
    return out;
  };
  int rank = 0;
  for (int b = 0; b < 256; ++b)
    ranks += base64(std::string(1, static_cast<char>(b))) + fmt::format(" {}\n", rank++);
  for (const char* token : {"ab", "abc", " a", "\n\n", "\xE4\xB8", "\xE4\xB8\xAD", "qzx"})
    ranks += base64(token) + fmt::format(" {}\n", rank++);
  return Tokenizer::load_bytes(
      ranks, "small.tiktoken",
      R"({"pat_str": ")" + pattern + R"(", "special_tokens": {"<|x|>": 300}})");
}

}  // namespace

TEST_CASE("ids and spans of a known sentence") {
  EncodeOptions options;
  options.want_spans = options.want_pieces = true;
  const Encoding e = embedded().encode("Hello world!", options);
  CHECK(e.ids == std::vector<TokenId>{15496, 995, 0});
  CHECK(e.spans == std::vector<Span>{{0, 5}, {5, 11}, {11, 12}});
  CHECK(e.pieces == e.spans);
  CHECK(embedded().decode(e.ids) == "Hello world!");
}

TEST_CASE("a literal's span is its text, and text behind it counts from the document's begin") {
  EncodeOptions options;
  options.want_spans = options.want_pieces = true;
  const Encoding e = embedded().encode("Hello<|endoftext|> world", options);
  CHECK(e.ids == std::vector<TokenId>{15496, 50256, 995});
  CHECK(e.spans == std::vector<Span>{{0, 5}, {5, 18}, {18, 24}});
  CHECK(e.pieces == e.spans);
  // That one is looked for in normalized text, this one before.
  options.special = SpecialMode::all;
  const Encoding raw = small_rank_file().encode("abc<|x|>ab", options);
  CHECK(raw.ids == std::vector<TokenId>{257, 300, 256});
  CHECK(raw.spans == std::vector<Span>{{0, 3}, {3, 8}, {8, 10}});
  CHECK(raw.pieces == raw.spans);
}

TEST_CASE("history, cache size and entry point never change ids") {
  const auto texts = nasty_texts(400);
  Tokenizer::Scratch warm(embedded()), none(embedded(), 0), small(embedded(), 1 << 16);
  Encoding a, b, c;
  std::size_t tokens = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (const std::string& text : texts) {
      const Encoding cold = embedded().encode(text);
      embedded().encode(text, {}, warm, a);
      embedded().encode(text, {}, none, b);
      embedded().encode(text, {}, small, c);
      REQUIRE(a.ids == cold.ids);
      REQUIRE(b.ids == cold.ids);
      REQUIRE(c.ids == cold.ids);
      REQUIRE(embedded().count(text) == cold.ids.size());
      REQUIRE(embedded().decode(cold.ids) == text);
      tokens += cold.ids.size();
    }
  CHECK(none.cache_bytes() < 1024);
  CHECK(tokens > 5000);
}

TEST_CASE("counting up to a limit and fitting agree with the count") {
  for (const std::string& text : nasty_texts(200)) {
    const std::size_t n = embedded().count(text);
    for (const std::size_t limit :
         {std::size_t{0}, std::size_t{3}, n, n + 1, std::size_t{1000000}}) {
      REQUIRE(embedded().count_up_to(text, limit) == std::min(n, limit + 1));
      REQUIRE(embedded().fits(text, limit) == (n <= limit));
    }
  }
}

TEST_CASE("no control id comes from an untrusted part") {
  const TokenId control = 50256;
  std::size_t neutralised = 0;
  const std::vector<Part> parts = {{"system<|endoftext|>", true},
                                   {"user <|endoftext|> text", false},
                                   {"<|endof", true},
                                   {"text|>", false}};
  const Encoding e = embedded().encode_parts(parts, {}, &neutralised);
  CHECK(std::count(e.ids.begin(), e.ids.end(), control) == 1);
  CHECK(neutralised == 2);  // the one inside, and the one put together across the border
  CHECK(embedded().decode(e.ids) == "system<|endoftext|>user <|endoftext|> text<|endoftext|>");
  // All parts trusted: the same as the joined text.
  const std::vector<Part> trusted = {{"a<|endof", true}, {"text|>b", true}};
  CHECK(embedded().encode_parts(trusted).ids == embedded().encode("a<|endoftext|>b").ids);
}

TEST_CASE("a token that merges cannot build is a whole piece, never a part of one") {
  const Tokenizer ranks = small_rank_file(R"(\\S+|\\s)");
  const std::vector<TokenId> whole = {262}, part = {'q', 'z', 'x', '!'};
  for (const bool whole_first : {true, false}) {
    Tokenizer::Scratch scratch(ranks);
    Encoding e;
    for (int i = 0; i < 4; ++i) {
      const bool ask_whole = (i % 2 == 0) == whole_first;
      ranks.encode(ask_whole ? "qzx" : "qzx!", {}, scratch, e);
      CHECK(e.ids == (ask_whole ? whole : part));
    }
  }
}

TEST_CASE("special modes") {
  EncodeOptions none;
  none.special = SpecialMode::none;
  const std::string text = "a<|endoftext|>b";
  CHECK(embedded().encode(text).ids.size() == 3);
  CHECK(embedded().encode(text, none).ids.size() > 5);
  EncodeOptions list;
  list.special = SpecialMode::list;
  list.special_list = {"<|endoftext|>"};
  CHECK(embedded().encode(text, list).ids == embedded().encode(text).ids);
  list.special_list = {"<|nothing|>"};
  CHECK_THROWS_AS(embedded().encode(text, list), Error);
}

TEST_CASE("bytes that are not UTF-8") {
  const std::string bad = "ab\xFF\x63";
  CHECK_THROWS_WITH_AS(embedded().encode(bad), "the text is not UTF-8: byte 0xFF at offset 2",
                       Error);
  EncodeOptions options;
  options.invalid = InvalidUtf8::replace;
  CHECK(embedded().encode(bad, options).ids == embedded()
                                                   .encode("ab\xEF\xBF\xBD"
                                                           "c")
                                                   .ids);
  options.invalid = InvalidUtf8::raw;
  CHECK_THROWS_AS(embedded().encode(bad, options), Error);

  const Tokenizer ranks = small_rank_file();
  // Well-formed text is text; otherwise the last piece and the rest are one piece of bytes.
  CHECK(ranks.encode("abc a", options).ids == std::vector<TokenId>{257, 258});
  CHECK(ranks.encode("abc \xE4\xB8", options).ids == std::vector<TokenId>{257, 32, 260});
  CHECK(ranks.encode("abc ab\xFF", options).ids == std::vector<TokenId>{257, 32, 256, 255});
  CHECK(ranks.encode("abc\n \n\xFF", options).ids == std::vector<TokenId>{257, 10, 32, 10, 255});
  // Blanks in pieces of their own before the last one go with it.
  CHECK(small_rank_file(R"(\\S+|\\s)").encode("ab\n\n\xFF", options).ids ==
        std::vector<TokenId>{256, 259, 255});
  options.special = SpecialMode::all;
  CHECK_THROWS_AS(ranks.encode("\xFF", options), Error);
}

TEST_CASE("streaming decode gives whole characters and the same text") {
  for (const std::string& text : nasty_texts(150)) {
    const Encoding e = embedded().encode(text);
    StreamDecoder stream(embedded());
    std::string joined;
    for (const TokenId id : e.ids) {
      const std::string piece = stream.push(id);
      REQUIRE(!unicode::find_invalid_utf8(piece));
      joined += piece;
    }
    joined += stream.finish();
    REQUIRE(joined == text);
  }
}

TEST_CASE("unknown ids are refused by number") {
  const std::vector<TokenId> ids = {15496, 60000};
  CHECK_THROWS_AS(embedded().decode(ids), Error);
}

TEST_CASE("texts of tokens are the reference's: normalized where it looks in normalized text") {
  const Tokenizer tokenizer = Tokenizer::load_bytes(
      R"({"normalizer":{"type":"Lowercase"},"added_tokens":[)"
      R"({"id":4,"content":"AB","single_word":false,"lstrip":false,"rstrip":false,)"
      R"("normalized":true,"special":false},)"
      R"({"id":5,"content":"<S>","single_word":false,"lstrip":false,"rstrip":false,)"
      R"("normalized":false,"special":true}],)"
      R"("model":{"type":"BPE","vocab":{"a":0,"b":1,"<unk>":2,"x":3},"merges":[]}})",
      "file");
  CHECK(tokenizer.encode("xABa<S>").ids == std::vector<TokenId>{3, 4, 0, 5});
  CHECK(tokenizer.token_text(4) == "ab");
  CHECK(tokenizer.token_text(5) == "<S>");
  CHECK(tokenizer.token_text(0) == "a");
}

TEST_CASE("a pattern that cannot be run is refused with file, field, pattern and place") {
  const auto error_of = [](const std::string& part) {
    try {
      (void)Tokenizer::load_bytes(
          "{" + part + R"(,"model":{"type":"BPE","vocab":{"a":0},"merges":[]}})", "f.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("loaded");
  };
  const auto split = [](const std::string& pattern) {
    return R"({"type":"Split","pattern":{"Regex":")" + pattern +
           R"("},"behavior":"Isolated","invert":false})";
  };
  CHECK(error_of(R"("pre_tokenizer":)" + split("a(b")) ==
        "f.json: pre_tokenizer.pattern.Regex: regular expression: missing ) at byte 3 of \"a(b\"");
  CHECK(error_of(R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[)"
                 R"({"type":"Digits","individual_digits":true},)" +
                 split("a\\\\bc") + "]}") ==
        "f.json: pre_tokenizer.pretokenizers[1].pattern.Regex: regular expression: \\b or \\B in "
        "\"a\\bc\"");
  CHECK(error_of(R"("normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},)"
                 R"({"type":"Replace","pattern":{"Regex":"[z-a]"},"content":""}]})") ==
        "f.json: normalizer.normalizers[1].pattern.Regex: regular expression: range with its ends "
        "swapped at byte 4 of \"[z-a]\"");
}
