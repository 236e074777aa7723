// Decoding against textbook chains over whole lists of tokens, and every stream against the batch.

#include "decode/decoder.hpp"

#include "decode/utf8_assembler.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <random>

namespace {

using namespace toktier;
using decode::DecodeOptions;
using decode::Decoder;
using decode::Stream;
using Tokens = std::vector<std::string>;

// ---- the slow twin: each step over the whole list, as the reference's documentation states it
// ------------------
std::string twin_lossy(const std::string& bytes) {
  // Recursive-descent over the table of well-formed sequences (Unicode, table 3-7).
  struct Row {
    int lead_low, lead_high, second_low, second_high, length;
  };
  static const Row kRows[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                              {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
                              {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                              {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  std::string out;
  for (std::size_t i = 0; i < bytes.size();) {
    const int b = static_cast<unsigned char>(bytes[i]);
    if (b < 0x80) {
      out += bytes[i++];
      continue;
    }
    int good = 1, length = 0;
    for (const Row& row : kRows) {
      if (b < row.lead_low || b > row.lead_high) continue;
      length = row.length;
      for (int k = 1; k < length; ++k) {
        if (i + static_cast<std::size_t>(k) >= bytes.size()) break;
        const int c = static_cast<unsigned char>(bytes[i + static_cast<std::size_t>(k)]);
        const int low = k == 1 ? row.second_low : 0x80, high = k == 1 ? row.second_high : 0xBF;
        if (c < low || c > high) break;
        ++good;
      }
    }
    out += good == length ? bytes.substr(i, static_cast<std::size_t>(length)) : "\xEF\xBF\xBD";
    i += static_cast<std::size_t>(good);
  }
  return out;
}

std::string twin_replace(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool twin_well_formed(const std::string& bytes) { return twin_lossy(bytes) == bytes; }

Tokens twin_step(const model::Decoder& step, const Tokens& in) {
  Tokens out;
  if (std::get_if<model::DecFuse>(&step)) {
    out.emplace_back();
    for (const auto& t : in) out[0] += t;
  } else if (const auto* replace = std::get_if<model::DecReplace>(&step)) {
    for (const auto& t : in)
      out.push_back(twin_replace(t, replace->pattern.text, replace->content));
  } else if (const auto* strip = std::get_if<model::DecStrip>(&step)) {
    for (auto t : in) {
      const auto c = static_cast<char>(strip->content);
      for (std::size_t k = 0; k < strip->start && !t.empty() && t.front() == c; ++k) t.erase(0, 1);
      for (std::size_t k = 0; k < strip->stop && !t.empty() && t.back() == c; ++k) t.pop_back();
      out.push_back(t);
    }
  } else if (const auto* mark = std::get_if<model::DecMetaspace>(&step)) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool drop = i == 0 && mark->prepend_scheme != model::PrependScheme::never;
      out.push_back(twin_replace(in[i], mark->replacement, drop ? "" : " "));
    }
  } else if (std::get_if<model::DecByteFallback>(&step)) {
    for (std::size_t i = 0; i < in.size();) {
      std::string run;
      std::size_t j = i;
      for (; j < in.size() && in[j].size() == 6 && in[j].rfind("<0x", 0) == 0; ++j) {
        run += static_cast<char>(std::stoi(in[j].substr(3, 2), nullptr, 16));
      }
      if (j == i) {
        out.push_back(in[i++]);
      } else {
        if (twin_well_formed(run)) {
          out.push_back(run);
        } else {
          out.insert(out.end(), run.size(), "\xEF\xBF\xBD");
        }
        i = j;
      }
    }
  } else if (const auto* wp = std::get_if<model::DecWordPiece>(&step)) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      std::string t = in[i];
      if (i > 0) t = t.rfind(wp->prefix, 0) == 0 ? t.substr(wp->prefix.size()) : " " + t;
      if (wp->cleanup) {
        t = twin_replace(t, " .", "."), t = twin_replace(t, " ?", "?"),
        t = twin_replace(t, " !", "!");
        t = twin_replace(t, " ,", ","), t = twin_replace(t, " ' ", "'"),
        t = twin_replace(t, " n't", "n't");
        t = twin_replace(t, " 'm", "'m"), t = twin_replace(t, " do not", " don't");
        t = twin_replace(t, " 's", "'s"), t = twin_replace(t, " 've", "'ve"),
        t = twin_replace(t, " 're", "'re");
      }
      out.push_back(t);
    }
  } else if (const auto* bpe = std::get_if<model::DecBpe>(&step)) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      out.push_back(twin_replace(in[i], bpe->suffix, i + 1 == in.size() ? "" : " "));
    }
  } else if (const auto* ctc = std::get_if<model::DecCtc>(&step)) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i > 0 && in[i] == in[i - 1]) continue;
      std::string t = twin_replace(in[i], ctc->pad_token, "");
      if (ctc->cleanup) {
        t = twin_step(model::DecWordPiece{"", true}, {"", t})[1];
        t = twin_replace(t, ctc->word_delimiter_token, " ");
      }
      if (!t.empty()) out.push_back(t);
    }
  } else if (std::get_if<model::DecByteLevel>(&step)) {
    std::string bytes;
    for (const auto& t : in) {
      // In these tests the blank and the space mark are the only characters outside the byte
      // alphabet, and the only ones inside it that change are U+0120, U+010A, U+00C3, U+00A9.
      bytes +=
          t.find(' ') != std::string::npos || t.find("\xE2\x96\x81") != std::string::npos
              ? t
              : twin_replace(
                    twin_replace(twin_replace(twin_replace(t, "\xC4\xA0", " "), "\xC4\x8A", "\n"),
                                 "\xC3\x83", "\xC3"),
                    "\xC2\xA9", "\xA9");
    }
    out.push_back(twin_lossy(bytes));
  }
  return out;
}

model::TokenizerSpec spec_of(const Tokens& vocabulary, std::vector<model::Decoder> steps,
                             std::vector<model::AddedToken> tokens = {}) {
  model::TokenizerSpec spec;
  spec.path = "test.json";
  for (std::size_t i = 0; i < vocabulary.size(); ++i)
    spec.vocab.add(static_cast<TokenId>(i), vocabulary[i]);
  spec.vocab.index();
  spec.decoders = std::move(steps);
  spec.added_tokens = std::move(tokens);
  return spec;
}

Decoder compile(const model::TokenizerSpec& spec) {
  return Decoder::compile(spec, added::AddedTable::build(spec, {}));
}

bool starts_or_ends_inside_a_character(const std::string& text) {
  return !text.empty() && !twin_well_formed(text);
}

/// The stream over `cuts` gives the batch's text, in whole characters when the text is UTF-8.
bool stream_equals(const Decoder& decoder, const std::vector<TokenId>& ids, std::uint64_t cuts,
                   const std::string& expected, const DecodeOptions& options,
                   bool whole_characters) {
  Stream stream(decoder, options);
  std::string joined;
  std::size_t from = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + 1 < ids.size() && ((cuts >> (i % 64)) & 1) == 0) continue;
    const std::string part = stream.push(std::span(ids).subspan(from, i + 1 - from));
    if (whole_characters && starts_or_ends_inside_a_character(part)) return false;
    joined += part;
    if (expected.compare(0, joined.size(), joined) != 0) return false;
    from = i + 1;
  }
  joined += stream.finish();
  return joined == expected && stream.held_bytes() == 0;
}

}  // namespace

TEST_CASE(
    "chains equal the textbook over random vocabularies, and streams equal the batch at every "
    "cut") {
  using model::DecBpe, model::DecByteFallback, model::DecByteLevel, model::DecCtc, model::DecFuse,
      model::DecMetaspace, model::DecReplace, model::DecStrip, model::DecWordPiece;
  const std::string mark = "\xE2\x96\x81";
  const DecReplace blanks{{false, mark}, " "};
  const std::vector<std::vector<model::Decoder>> chains{
      {DecByteLevel{}},
      {DecFuse{}},
      {blanks, DecByteFallback{}, DecFuse{}, DecStrip{' ', 1, 0}},
      {blanks, DecByteFallback{}, DecFuse{}},
      {DecByteFallback{}, DecMetaspace{}},
      {DecMetaspace{mark, model::PrependScheme::never}},
      {DecMetaspace{mark, model::PrependScheme::first}},
      {DecWordPiece{}},
      {DecWordPiece{"##", false}},
      {DecBpe{"</w>"}},
      {DecBpe{"##"}},
      {DecCtc{"<pad>", "|", true}},
      {DecCtc{"<pad>", "|", false}},
      {DecFuse{}, DecReplace{{false, "aba"}, "X"}, DecBpe{"</w>"}},
      {DecFuse{}, DecStrip{'a', 2, 0}, DecWordPiece{}},
      {DecReplace{{false, "b"}, ""}, DecFuse{}, DecByteLevel{}},
      {DecStrip{'a', 1, 0}, DecStrip{' ', 3, 0}, DecFuse{}, DecReplace{{false, " a"}, "a "}},
  };
  const Tokens vocabulary{"a",
                          "b",
                          "ab",
                          "aba",
                          " ",
                          mark,
                          mark + "a",
                          mark + mark,
                          "##b",
                          "##",
                          ".",
                          " .",
                          "'",
                          "n't",
                          "do not",
                          "<pad>",
                          "|",
                          "b</w>",
                          "</w>",
                          "<0x41>",
                          "<0xC3>",
                          "<0xA9>",
                          "<0xE4>",
                          "<0xBD>",
                          "<0xA0>",
                          "<0xFF>",
                          "\xC3\x83",
                          "\xC2\xA9",
                          "\xC4\xA0",
                          "\xC4\xA0"
                          "a",
                          "",
                          "\xC3\xA9 ",
                          "aa "};
  std::mt19937_64 random(7);
  std::size_t compared = 0, failures = 0, streams = 0;
  for (const auto& chain : chains) {
    const Decoder decoder = compile(spec_of(vocabulary, chain));
    for (int round = 0; round < 3000; ++round) {
      std::vector<TokenId> ids(random() % 9);
      const std::size_t some = 1 + random() % vocabulary.size();
      const std::size_t from = random() % vocabulary.size();
      Tokens tokens;
      for (TokenId& id : ids) {
        id = static_cast<TokenId>((from + random() % some) % vocabulary.size());
        tokens.push_back(vocabulary[id]);
      }
      for (const auto& step : chain) tokens = twin_step(step, tokens);
      std::string expected;
      for (const auto& t : tokens) expected += t;
      ++compared;
      if (decoder.decode(ids) != expected) ++failures;
      const std::uint64_t splits = ids.size() < 2 ? 1 : std::uint64_t{1} << (ids.size() - 1);
      for (std::uint64_t cuts = 0; cuts < splits; ++cuts) {
        ++streams;
        if (!stream_equals(decoder, ids, cuts, expected, {}, true)) ++failures;
      }
    }
  }
  MESSAGE("lists " << compared << ", streams " << streams);
  CHECK(failures == 0);
}

TEST_CASE("Strip fails where the reference fails") {
  const auto spec = spec_of({"", " ", "  ", " a ", "a  "}, {model::DecStrip{' ', 1, 1}});
  const Decoder decoder = compile(spec);
  const auto one = [&](TokenId id) { return decoder.decode(std::vector<TokenId>{id}); };
  CHECK_THROWS_AS(one(0), Error);
  CHECK_THROWS_AS(one(1), Error);
  CHECK(one(2).empty());
  CHECK(one(3) == "a");
  CHECK(one(4) == "a ");
}

TEST_CASE("empty patterns insert as the reference does") {
  const Decoder decoder = compile(spec_of({"ab", "", "c"}, {model::DecReplace{{false, ""}, "X"}}));
  CHECK(decoder.decode(std::vector<TokenId>{0}) == "XaXbX");
  CHECK(decoder.decode(std::vector<TokenId>{1}).empty());
  CHECK(decoder.decode(std::vector<TokenId>{2, 2}) == "XcXXcX");
  const Decoder suffix = compile(spec_of({"ab", "cd"}, {model::DecBpe{""}}));
  CHECK(suffix.decode(std::vector<TokenId>{0, 1}) == " a b cd");
  CHECK_THROWS_AS(compile(spec_of({"a"}, {model::DecReplace{{true, "a*"}, "X"}})), Error);
}

TEST_CASE("no decoder joins with blanks; unknown ids are errors unless dropped; special by text") {
  auto spec = spec_of(
      {"a", "b", ""}, {},
      {{3, "<s>", true, false, false, false, false}, {1, "b", true, false, false, false, false}});
  const Decoder decoder = compile(spec);
  const std::vector<TokenId> ids{0, 3, 2, 1};
  CHECK(decoder.decode(ids) == "a <s>  b");
  CHECK(decoder.decode(ids, {true, {}, false}) == "a ");
  const std::vector<TokenId> bad{0, 4};
  CHECK_THROWS_WITH(decoder.decode(bad), "test.json: id 4 is not in the vocabulary (ids end at 4)");
  CHECK(decoder.decode(bad, {false, DecodeOptions::UnknownId::drop, false}) == "a");
  Stream stream(decoder);
  CHECK(stream.push(0) == "a");
  CHECK_THROWS_AS(stream.push(bad), Error);
  CHECK(stream.push(1) == " b");
}

TEST_CASE("rank files give raw bytes, in whole characters where they are characters") {
  Tokens vocabulary;
  for (int b = 0; b < 256; ++b) vocabulary.emplace_back(1, static_cast<char>(b));
  auto spec = spec_of(vocabulary, {model::DecRawBytes{}},
                      {{300, "<|end|>", true, false, false, false, false}});
  spec.reference = model::Reference::tiktoken;
  const Decoder decoder = compile(spec);
  CHECK(decoder.decode(std::vector<TokenId>{300, 65}, {true, {}, false}) == "A");
  CHECK_THROWS_AS(decoder.decode(std::vector<TokenId>{299}), Error);
  const std::string pool =
      "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\xFF\xED\xA0\x80\xF4\x90\xC0\xF0\x80\xEF\xBF\xBD";
  std::mt19937_64 random(11);
  std::size_t failures = 0, split_characters = 0;
  for (int round = 0; round < 40000; ++round) {
    std::vector<TokenId> ids;
    std::string bytes;
    const std::size_t begin =
        random() % pool.size();  // may begin inside a character, as after a cut prompt
    for (std::size_t n = random() % 10, i = 0; i < n; ++i) {
      const char c =
          random() % 3 != 0 ? pool[(begin + i) % pool.size()] : pool[random() % pool.size()];
      ids.push_back(static_cast<unsigned char>(c));
      bytes += c;
    }
    const bool lossy = random() % 2 == 0;
    const DecodeOptions options{false, {}, lossy};
    const std::string expected = lossy ? twin_lossy(bytes) : bytes;
    if (decoder.decode(ids, options) != expected) ++failures;
    const std::uint64_t cuts = random();
    if (!stream_equals(decoder, ids, cuts, expected, options, lossy || twin_well_formed(bytes)))
      ++failures;
    Stream stream(decoder, options);
    std::string given;
    for (const TokenId id : ids) {
      given += stream.push(id);
      if (stream.held_bytes() > 3) ++failures;
      if (stream.held_bytes() > 0) ++split_characters;
    }
  }
  CHECK(failures == 0);
  CHECK(split_characters > 1000);
}

TEST_CASE("a broken run of byte tokens stops being held") {
  const Decoder decoder =
      compile(spec_of({"<0x41>", "<0xFF>", "x"}, {model::DecByteFallback{}, model::DecFuse{}}));
  Stream stream(decoder);
  CHECK(stream.push(0).empty());
  CHECK(stream.push(0).empty());
  CHECK(stream.held_bytes() == 2);
  CHECK(stream.push(1) == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(stream.push(0) == "\xEF\xBF\xBD");
  CHECK(stream.push(2) == "x");
  CHECK(stream.push(0).empty());
  CHECK(stream.finish() == "A");
}

TEST_CASE("SentencePiece rules") {
  const std::string mark = "\xE2\x96\x81";
  auto spec = spec_of({"<unk>", "<s>", mark + "a", mark, "b" + mark, "<0xE4>", "<0xBD>", "<0xA0>",
                       "<0xFF>", mark + mark + "c"},
                      {model::DecSentencePiece{true, false, false}});
  spec.reference = model::Reference::sentencepiece;
  using enum model::PieceType;
  spec.piece_types = {unknown, control, normal, normal, normal, byte, byte, byte, byte, normal};
  const auto text = [&](const std::vector<TokenId>& ids) { return compile(spec).decode(ids); };
  CHECK(text({1, 2, 2}) == "a a");
  CHECK(text({3, 2}) == " a");
  CHECK(text({0, 2}) == " \xE2\x81\x87  a");
  CHECK(text({5, 6, 7, 2}) == "\xE4\xBD\xA0 a");
  CHECK(text({5, 6, 8, 2}) == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD a");
  CHECK(text({9, 4}) == " cb ");
  // A control piece parts two byte pieces that would make a character, left out or not.
  const std::vector<TokenId> parted{5, 1, 6, 7};
  const std::string marks = "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD";
  CHECK(compile(spec).decode(parted) == marks);
  CHECK(compile(spec).decode(parted, {true, {}, false}) == marks);
  spec.decoders = {model::DecSentencePiece{true, true, false}};
  CHECK(text({3, 3, 2, 2}) == "a a");
  spec.decoders = {model::DecSentencePiece{false, false, false}};
  CHECK(text({2, 3}) == " a ");
}
