// Committed answers of the reference engines (scripts/unicode/make_vectors.py): texts with
// alignments for many chains of steps, and digests of the texts for every code point.

#include "base/sha256.hpp"
#include "normalize/testing/step_arguments.hpp"
#include "unicode/code_point_set.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace toktier;

namespace {

std::string vectors_path() {
  const char* source = std::getenv("TOKTIER_SOURCE_DIR");
  return (source == nullptr ? std::string(".") : std::string(source)) +
         "/lib/normalize/testing/vectors.txt";
}

normalize::Normalizer compile(const std::string& words) {
  std::vector<model::Normalizer> steps;
  normalize::CompileOptions options;
  options.regex = normalize::testing::run_finder;
  std::istringstream in(words);
  for (std::string word; in >> word;)
    normalize::testing::add_step(word, steps, options.kept_literals);
  return normalize::Normalizer::compile(steps, model::Reference::hf_tokenizers, options);
}

/// "begin-end" per character of the result, byte offsets, joined by ','.
std::string spans_of(const unicode::AlignedText& text) {
  std::string out;
  const std::string_view view = text.text();
  for (std::uint32_t at = 0; at < view.size();) {
    const std::uint32_t length = unicode::sequence_length(static_cast<unsigned char>(view[at]));
    const Span span = text.source(at);
    for (std::uint32_t i = 1; i < length; ++i) {
      if (!(text.source(at + i) == span)) return "bytes of one character differ";
    }
    if (at > 0) out += ',';
    out += std::to_string(span.begin) + "-" + std::to_string(span.end);
    at += length;
  }
  return out;
}

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return out;
}

/// Everything between the n-th and the next tab.
std::vector<std::string> columns(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == '\t') {
      out.emplace_back();
    } else {
      out.back().push_back(c);
    }
  }
  return out;
}

std::string sweep_digest(const normalize::Normalizer& normalizer, const std::string& before,
                         const std::string& after) {
  base::Sha256 hash;
  unicode::AlignedText text;
  std::string input;
  for (char32_t c = 0; c <= unicode::kMaxCodePoint; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    input = before;
    unicode::append_utf8(input, c);
    input += after;
    text.reset(input, 0, false);
    normalizer.run(text);
    hash.update(text.text());
    hash.update("\n");
  }
  return hash.hex();
}

}  // namespace

TEST_CASE("texts and alignments are those of the reference engines") {
  std::ifstream in(vectors_path());
  REQUIRE(in.good());
  std::size_t checked = 0;
  std::size_t digests = 0;
  unicode::AlignedText text;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> column = columns(line);
    CAPTURE(line);
    const normalize::Normalizer normalizer = compile(column.at(1));
    if (column[0] == "digest") {
      ++digests;
      CHECK(sweep_digest(normalizer, normalize::testing::from_hex(column.at(2)),
                         normalize::testing::from_hex(column.at(3))) == column.at(4));
      continue;
    }
    REQUIRE(column[0] == "text");
    const std::string input = normalize::testing::from_hex(column.at(2));
    ++checked;
    text.reset(input, 0, true);
    if (column.at(3) == "fails") {
      CHECK_THROWS_AS(normalizer.run(text), Error);
      text.reset(input, 0, false);
      CHECK_THROWS_AS(normalizer.run(text), Error);
      continue;
    }
    normalizer.run(text);
    CHECK(hex(text.text()) == column.at(3));
    CHECK(spans_of(text) == column.at(4));
    const std::string whole(text.text());
    text.reset(input, 77, false);
    normalizer.run(text);
    CHECK(text.text() == whole);
  }
  std::printf("normalizer vectors: %zu texts, %zu digests over all code points\n", checked,
              digests);
  CHECK(checked > 500);
  CHECK(digests > 10);
}

TEST_CASE("a text that is normal already is left untouched") {
  const std::string ascii(100000, 'x');
  const std::string mixed = ascii + "\xC3\xA9 \xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x98\x80";
  unicode::AlignedText text;
  for (const char* steps :
       {"nfc", "nfkc", "nmt", "strip_accents", "lowercase", "replace:5f5f:20", "bert:1000"}) {
    CAPTURE(steps);
    const normalize::Normalizer normalizer = compile(steps);
    for (const std::string* input : {&ascii, &mixed}) {
      text.reset(*input, 0, true);
      normalizer.run(text);
      CHECK(text.identity());
    }
  }
  CHECK(compile("").identity());
  CHECK_FALSE(compile("nfc").identity());
}

TEST_CASE("a regex without an engine is refused by name") {
  const std::vector<model::Normalizer> steps = {model::NormNfc{},
                                                model::NormReplace{{true, "a+"}, "b"}};
  try {
    normalize::Normalizer::compile(steps, model::Reference::hf_tokenizers);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unsupported);
    CHECK(std::string(error.what()).find("normalizer[1]") != std::string::npos);
    CHECK(std::string(error.what()).find("a+") != std::string::npos);
  }
}
