// Places where a search may be cut, against searches that were.

#include "added/added_tokens.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <random>

namespace {

using namespace toktier;
using added::AddedTokens;
using added::Segment;

model::TokenizerSpec spec_of(std::mt19937& random) {
  model::TokenizerSpec spec;
  spec.path = "test.json";
  spec.vocab.add(0, "U");
  spec.vocab.index();
  const char* const contents[] = {"<s>", "<s>a", "ab", "  ", " ", "<<", "\n\n", "s>", "b<s"};
  for (const char* content : contents) {
    if (random() % 2 == 0) continue;
    model::AddedToken token;
    token.id = static_cast<TokenId>(1 + spec.added_tokens.size());
    token.content = content;
    token.lstrip = random() % 3 == 0;
    token.rstrip = random() % 3 == 0;
    token.single_word = random() % 4 == 0;
    spec.added_tokens.push_back(token);
  }
  return spec;
}

std::string some_text(std::mt19937& random, std::size_t most) {
  const char* const parts[] = {"<s>", "a", "b", " ", "  ", "\n", "<", "s", ">", "x", "x", "ab"};
  std::string text;
  for (auto n = random() % (most + 1); n > 0; --n) text += parts[random() % std::size(parts)];
  return text;
}

/// Segments, text that touches text joined; nothing when the reference fails on the text.
bool segments(const AddedTokens& tokens, const std::string& text, std::uint32_t base,
              std::vector<Segment>& out) {
  std::vector<Segment> found;
  try {
    tokens.split_raw(text, {}, found);
  } catch (const Error&) {
    return false;
  }
  for (const Segment& s : found) {
    const Segment moved{s.begin + base, s.end + base, s.id};
    if (!out.empty() && !s.is_literal() && !out.back().is_literal() &&
        out.back().end == moved.begin)
      out.back().end = moved.end;
    else
      out.push_back(moved);
  }
  return true;
}

}  // namespace

TEST_CASE("where a search may be cut, both parts find what the whole finds") {
  std::mt19937 random(3);
  std::size_t yes = 0, no = 0, failed = 0;
  for (int i = 0; i < 60000; ++i) {
    const model::TokenizerSpec spec = spec_of(random);
    if (spec.added_tokens.empty()) continue;
    const AddedTokens tokens = AddedTokens::compile(spec, {});
    const std::string shown = some_text(random, 16);
    const std::string before = some_text(random, 8), behind = some_text(random, 8);
    for (std::size_t at = 1; at < shown.size(); ++at) {
      std::size_t clear_from = 0;
      if (!tokens.parts_raw_at(shown, at, 4, &clear_from)) {
        ++no;
        continue;
      }
      ++yes;
      const std::string text = before + shown + behind;
      const std::size_t place = before.size() + at;
      std::vector<Segment> whole, parts;
      if (!segments(tokens, text, 0, whole)) {
        ++failed;
        continue;
      }
      const bool left = segments(tokens, text.substr(0, place), 0, parts);
      const bool right =
          segments(tokens, text.substr(place), static_cast<std::uint32_t>(place), parts);
      INFO("text [" << text << "] cut at " << place << ", shown [" << shown << "]");
      REQUIRE(left);
      REQUIRE(right);
      REQUIRE(parts == whole);
      for (const Segment& s : whole)
        if (s.is_literal() && s.end <= place) REQUIRE(s.end <= before.size() + clear_from);
    }
  }
  MESSAGE(yes << " places, " << no << " refused, " << failed << " texts the reference fails on");
  CHECK(yes > 20000);
}

TEST_CASE("what holds no literal begins between two characters") {
  model::TokenizerSpec spec;
  model::AddedToken token;
  token.id = 0;
  token.content = "<unk>";
  spec.added_tokens.push_back(token);
  const AddedTokens tokens = AddedTokens::compile(spec, {});
  // Two bytes a letter: the literal's length ends inside one.
  const std::string text = "\xD1\x86\xD0\xB8\xD1\x98\xD0\xB5reach";
  for (std::size_t at = 6; at < text.size(); ++at) {
    std::size_t clear_from = 0;
    if (!tokens.parts_raw_at(text, at, 4, &clear_from)) continue;
    CHECK(((text[clear_from] & 0xC0) != 0x80 || clear_from == at));
  }
  std::size_t clear_from = 0;
  REQUIRE(tokens.parts_raw_at(text, 9, 4, &clear_from));
  CHECK(clear_from == 6);
}
