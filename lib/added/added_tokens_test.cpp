// The splitter against a naive matcher that tries every token at every position on code points.

#include "added/added_tokens.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>

namespace {

using namespace toktier;
using added::AddedTokens;
using added::Segment;

const unicode::CodePointSet& test_space() {
  static const unicode::CodePointSet set(std::vector<unicode::CodePointRange>{
      {9, 13}, {32, 32}, {0x85, 0x85}, {0xA0, 0xA0}, {0x3000, 0x3000}});
  return set;
}
const unicode::CodePointSet& test_word() {
  static const unicode::CodePointSet set(std::vector<unicode::CodePointRange>{
      {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xE9, 0xE9}, {0x4E2D, 0x4E2D}});
  return set;
}
added::EdgeClasses edges() { return {&test_space(), &test_word()}; }

model::TokenizerSpec spec_of(std::vector<model::AddedToken> tokens,
                             model::Reference reference = model::Reference::hf_tokenizers) {
  model::TokenizerSpec spec;
  spec.path = "test.json";
  spec.reference = reference;
  spec.specials_by_default = reference == model::Reference::hf_tokenizers;
  spec.vocab.add(0, "U");
  spec.vocab.index();
  spec.added_tokens = std::move(tokens);
  return spec;
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// ---- the slow twin: code points, every token at every place, no automaton
// ------------------------------------
struct Wide {
  std::vector<char32_t> chars;
  std::vector<std::uint32_t> at;  // byte offset of each, and the end
};
Wide widen(const std::string& text) {
  Wide wide;
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = unicode::decode(text.data() + i);
    wide.chars.push_back(c.code_point);
    wide.at.push_back(static_cast<std::uint32_t>(i));
    i += c.length;
  }
  wide.at.push_back(static_cast<std::uint32_t>(text.size()));
  return wide;
}

struct NaiveToken {
  std::string text;
  TokenId id;
  bool special, lstrip, rstrip, single_word, control;
};

/// nullopt where the reference fails.
std::optional<std::vector<Segment>> naive_split(const std::string& text,
                                                const std::vector<NaiveToken>& tokens,
                                                bool skip_special,
                                                const std::vector<bool>& untrusted_bytes) {
  const Wide wide = widen(text);
  const std::size_t n = wide.chars.size();
  std::vector<Segment> out;
  std::size_t done = 0;
  std::size_t i = 0;
  const auto byte = [&](std::size_t index) { return wide.at[index]; };
  while (i < n) {
    const NaiveToken* best = nullptr;
    std::size_t best_size = 0;
    for (const NaiveToken& token : tokens) {
      const Wide content = widen(token.text);
      if (content.chars.size() <= best_size || i + content.chars.size() > n) continue;
      bool equal = true;
      for (std::size_t k = 0; k < content.chars.size(); ++k) {
        equal = equal && content.chars[k] == wide.chars[i + k];
      }
      if (!equal) continue;
      bool trusted = true;
      for (std::size_t b = byte(i); b < byte(i + content.chars.size()); ++b) {
        trusted = trusted && !untrusted_bytes[b];
      }
      if (token.control && !trusted) continue;
      best = &token;
      best_size = content.chars.size();
    }
    if (best == nullptr) {
      ++i;
      continue;
    }
    std::size_t begin = i;
    std::size_t end = i + best_size;
    i = end;
    if (skip_special && best->special) continue;
    if (best->single_word) {
      if (begin > 0 && test_word().contains(wide.chars[begin - 1])) continue;
      if (end < n && test_word().contains(wide.chars[end])) continue;
    }
    if (best->lstrip) {
      while (begin > 0 && test_space().contains(wide.chars[begin - 1])) --begin;
      begin = std::max(begin, done);
    }
    if (best->rstrip) {
      while (end < n && test_space().contains(wide.chars[end])) ++end;
    }
    if (done < begin) out.push_back({byte(done), byte(begin), model::kNoToken});
    if (begin > end) return std::nullopt;
    if (begin < end) out.push_back({byte(begin), byte(end), best->id});
    done = end;
  }
  if (done != n) out.push_back({byte(done), byte(n), model::kNoToken});
  return out;
}

}  // namespace

TEST_CASE("a later entry replaces an earlier one, and empty content is dropped") {
  const auto tokens = AddedTokens::compile(spec_of({{2, "a", true, false, false, false, false},
                                                    {8, "", true, false, false, false, false},
                                                    {2, "a", false, true, false, false, false}}),
                                           {}, edges());
  CHECK(tokens.table().entries().size() == 1);
  CHECK(tokens.table().id_of("a") == 2);
  CHECK(tokens.table().find(2)->special);  // what was special once stays so
  CHECK(tokens.table().find(2)->lstrip);
  CHECK(tokens.table().find(8) == nullptr);
}

TEST_CASE("a normalized text outlives the entry it came from") {
  const auto tokens = AddedTokens::compile(spec_of({{1, "AB", true, false, false, false, true},
                                                    {1, "AB", false, false, false, false, false}}),
                                           ascii_lower, edges());
  CHECK(tokens.table().find(1)->text == "ab");
  CHECK(tokens.table().find(1)->pattern == "AB");
  CHECK_FALSE(tokens.table().is_special_text("ab"));
}

TEST_CASE("rank files keep the file's ids and step one byte past a special that is not allowed") {
  const auto spec = spec_of({{50, "<a><b>", true, false, false, false, false},
                             {51, "<b>", true, false, false, false, false}},
                            model::Reference::tiktoken);
  const auto tokens = AddedTokens::compile(spec, {}, edges());
  std::vector<Segment> out;
  tokens.split_raw("x<a><b>y", tokens.filter(SpecialMode::file_default), out);
  CHECK(out == std::vector<Segment>{{0, 8, model::kNoToken}});
  out.clear();
  const std::vector<std::string> only_b{"<b>"};
  tokens.split_raw("x<a><b>y", tokens.filter(SpecialMode::list, only_b), out);
  CHECK(out == std::vector<Segment>{{0, 4, model::kNoToken}, {4, 7, 51}, {7, 8, model::kNoToken}});
  out.clear();
  tokens.split_raw("x<a><b>y", tokens.filter(SpecialMode::all), out);
  CHECK(out == std::vector<Segment>{{0, 1, model::kNoToken}, {1, 7, 50}, {7, 8, model::kNoToken}});
  const std::vector<std::string> unknown{"<c>"};
  CHECK_THROWS_AS(tokens.filter(SpecialMode::list, unknown), Error);
}

TEST_CASE(
    "cases in which the reference is random or fails are refused, and only where the text meets "
    "them") {
  const auto prefix = AddedTokens::compile(spec_of({{5, "<a", true, false, false, false, false},
                                                    {6, "<ab", true, false, false, false, false}},
                                                   model::Reference::tiktoken),
                                           {}, edges());
  std::vector<Segment> out;
  CHECK_NOTHROW(prefix.split_raw("x<a>", prefix.filter(SpecialMode::all), out));
  CHECK_THROWS_AS(prefix.split_raw("x<ab>", prefix.filter(SpecialMode::all), out), Error);
  CHECK_NOTHROW(prefix.split_raw("x<ab>", prefix.filter(SpecialMode::none), out));

  const auto twins = AddedTokens::compile(spec_of({{1, "A", false, false, false, false, true},
                                                   {2, "a", false, false, false, false, true}}),
                                          ascii_lower, edges());
  CHECK_NOTHROW(twins.split_normalized("xyz", twins.filter(SpecialMode::all), out));
  CHECK_THROWS_AS(twins.split_normalized("xaz", twins.filter(SpecialMode::all), out), Error);

  const auto inverted = AddedTokens::compile(spec_of({{1, "A", false, false, true, false, false},
                                                      {2, " ", false, true, false, false, false}}),
                                             {}, edges());
  CHECK_THROWS_AS(inverted.split_raw("xA   y", inverted.filter(SpecialMode::all), out), Error);
  CHECK_THROWS_AS(AddedTokens::compile(
                      spec_of({{1, "  ", false, false, false, false, true}}),
                      [](std::string_view) { return std::string(); }, edges()),
                  Error);
}

TEST_CASE("what rstrip took is searched again, as in the reference") {
  const auto tokens = AddedTokens::compile(spec_of({{1, "A", false, false, true, false, false},
                                                    {2, "\n", false, false, true, false, false}}),
                                           {}, edges());
  std::vector<Segment> out;
  tokens.split_raw("xA \n \n y", tokens.filter(SpecialMode::all), out);
  CHECK(out ==
        std::vector<Segment>{
            {0, 1, model::kNoToken}, {1, 7, 1}, {3, 7, 2}, {5, 7, 2}, {7, 8, model::kNoToken}});
}

TEST_CASE("untrusted text gives no control token, and cannot hide a trusted one") {
  const auto tokens =
      AddedTokens::compile(spec_of({{1, "<end>", true, false, false, false, false},
                                    {2, "x<end>", true, false, false, false, false},
                                    {3, "<turn>", false, false, false, false, false},
                                    {4, "\n\n", false, false, false, false, false}}),
                           {}, edges());
  CHECK(tokens.is_control(3));
  CHECK_FALSE(tokens.is_control(4));
  std::vector<Segment> out;
  std::size_t neutralised = 0;
  // The first 15 bytes are not trusted; they end with an x that would join the marker to a longer
  // one.
  const std::string text = "<end><turn>\n\n x<end>";
  const std::vector<Span> ranges{{0, 15}};
  tokens.split_raw(text, tokens.filter(SpecialMode::all), out, {ranges, &neutralised});
  CHECK(out == std::vector<Segment>{
                   {0, 11, model::kNoToken}, {11, 13, 4}, {13, 15, model::kNoToken}, {15, 20, 1}});
  CHECK(neutralised == 3);
}

TEST_CASE("random sets and texts equal the naive matcher") {
  std::mt19937_64 random(20240611);
  const std::vector<std::string> alphabet{
      "a", "b", "A", "<", " ", "\n", "\xC3\xA9", "\xE4\xB8\xAD", "\xE3\x80\x80"};
  const auto word = [&](std::size_t most, std::size_t letters) {
    std::string text;
    for (std::size_t n = random() % most + 1; n > 0; --n) text += alphabet[random() % letters];
    return text;
  };
  std::size_t compared = 0, failures = 0, literals = 0, refused = 0, overlapping = 0;
  for (int round = 0; round < 60000; ++round) {
    const std::size_t letters = 2 + random() % (alphabet.size() - 1);
    const bool many = random() % 8 == 0;
    std::vector<model::AddedToken> list;
    std::vector<NaiveToken> naive;
    std::vector<std::string> contents;
    for (std::size_t n = (many ? 20 : 1) + random() % 6; n > 0; --n) {
      const std::string content = word(4, letters);
      if (std::find(contents.begin(), contents.end(), content) != contents.end()) continue;
      contents.push_back(content);
      model::AddedToken token;
      token.id = static_cast<TokenId>(contents.size());
      token.content = content;
      token.special = random() % 2 == 0;
      token.lstrip = random() % 4 == 0;
      token.rstrip = random() % 4 == 0;
      token.single_word = random() % 4 == 0;
      list.push_back(token);
    }
    const auto tokens = AddedTokens::compile(spec_of(list), {}, edges());
    for (const auto& token : list) {
      const TokenId id = tokens.table().id_of(token.content);
      naive.push_back({token.content, id, token.special, token.lstrip, token.rstrip,
                       token.single_word, tokens.is_control(id)});
    }
    const std::string text = word(random() % 3 == 0 ? 60 : 14, letters);
    std::vector<bool> untrusted(text.size(), false);
    std::vector<Span> ranges;
    if (random() % 2 == 0) {
      std::uint32_t at = 0;
      while (at < text.size()) {
        const auto end =
            static_cast<std::uint32_t>(std::min<std::size_t>(at + 1 + random() % 9, text.size()));
        if (random() % 2 == 0) {
          ranges.push_back({at, end});
          std::fill(untrusted.begin() + at, untrusted.begin() + end, true);
        }
        at = end + 1;
      }
    }
    const bool skip = random() % 3 == 0;
    const auto filter = tokens.filter(skip ? SpecialMode::none : SpecialMode::all);
    const auto expected = naive_split(text, naive, skip, untrusted);
    std::vector<Segment> got;
    bool threw = false;
    try {
      tokens.split_raw(text, filter, got, {ranges, nullptr});
    } catch (const Error&) {
      threw = true;
    }
    ++compared;
    if (!expected) {
      ++refused;
      failures += threw ? 0 : 1;
      continue;
    }
    if (threw || got != *expected) ++failures;
    for (std::size_t i = 0; i < got.size(); ++i) {
      literals += got[i].is_literal() ? 1 : 0;
      overlapping += i > 0 && got[i].begin < got[i - 1].end ? 1 : 0;
    }
  }
  MESSAGE("compared " << compared << ", literals " << literals
                      << ", refused as the reference fails " << refused << ", overlapping segments "
                      << overlapping);
  CHECK(failures == 0);
  CHECK(literals > 50000);
  CHECK(refused > 20);
  CHECK(overlapping > 100);
}
