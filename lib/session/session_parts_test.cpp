// The public face of parts, of masks and of documents whose text is not kept.

#include "toktier/error.hpp"
#include "toktier/session.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <malloc.h>
#include <random>

namespace {

using namespace toktier;

const Tokenizer& gpt2() {
  static const Tokenizer tokenizer = Tokenizer::load("embedded");
  return tokenizer;
}

SessionOptions with_trust() {
  SessionOptions options;
  options.trust = true;
  return options;
}

SessionOptions without_text() {
  SessionOptions options;
  options.keep_text = false;
  return options;
}

template <class Call>
ErrorCode code_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

void extend(std::vector<TokenId>& ids, const std::vector<TokenId>& more) {
  ids.insert(ids.end(), more.begin(), more.end());
}

std::string words(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const char* const list[] = {"the",      " model", " writes",      " code",
                              "\n",       " 1234",  " don't",       "  ",
                              " x=y;",    "\t",     " caf\xC3\xA9", " \xE4\xBD\xA0\xE5\xA5\xBD",
                              "\n    if", " (a)",   " 99",          "'ll"};
  std::string text;
  while (count-- > 0) text += list[random() % std::size(list)];
  return text;
}

std::size_t in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

TEST_CASE("no control token comes from untrusted text, whole or in halves") {
  const std::string token = "<|endoftext|>";
  for (std::size_t cut = 0; cut <= token.size(); ++cut) {
    const std::string left = "end " + token.substr(0, cut);
    const std::string right = token.substr(cut) + " of it";
    for (const bool first : {false, true}) {
      Session session(gpt2(), with_trust());
      std::vector<TokenId> ids;
      session.append(token + "x").apply(ids);
      (first ? session.append_untrusted(left) : session.append(left)).apply(ids);
      (first ? session.append(right) : session.append_untrusted(right)).apply(ids);
      session.append(token).apply(ids);
      const std::string begin = token + "x";
      const std::vector<Part> parts = {
          {begin, true}, {left, !first}, {right, first}, {token, true}};
      CHECK(ids == gpt2().encode_parts(parts).ids);
      CHECK(session.snapshot() == ids);
      std::size_t control = 0;
      for (const TokenId id : ids) control += gpt2().is_special(id);
      const bool meant = first ? cut == 0 : cut == token.size();
      CHECK(control == 2 + (meant ? 1 : 0));
    }
  }
}

TEST_CASE("sampled ids stay as they are, and what stands beside them does not change them") {
  // "he" and "llo" are two ids; the text "hello" is one.
  const std::vector<TokenId> sampled = {258, 18798};
  REQUIRE(gpt2().decode(sampled) == "hello");
  REQUIRE(gpt2().encode("hello").ids != sampled);
  Session session(gpt2());
  std::vector<TokenId> ids;
  session.append("user: say it\n").apply(ids);
  session.append_sampled(std::vector<TokenId>{sampled[0]}).apply(ids);
  session.append_sampled(std::vector<TokenId>{sampled[1]}).apply(ids);
  session.append(" there").apply(ids);
  std::vector<TokenId> expected = gpt2().encode("user: say it\n").ids;
  extend(expected, sampled);
  extend(expected, gpt2().encode(" there").ids);
  CHECK(ids == expected);
  CHECK(session.text() == "user: say it\nhello there");
  const auto ranges = session.part_ranges();
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[1] ==
        PartRange{PartKind::sampled, 0, 13, 18, expected.size() - 3, expected.size() - 1});
  // An edit beside them leaves them; one inside is refused; one around takes them out.
  session.edit(0, 4, "model").apply(ids);
  CHECK(session.snapshot() == ids);
  CHECK(code_of([&] { session.edit(16, 16, "x"); }) == ErrorCode::usage);
  CHECK(code_of([&] { session.edit(3, 16, "x"); }) == ErrorCode::usage);
  CHECK(session.snapshot() == ids);
  session.edit(13, 20, "hi").apply(ids);
  CHECK(session.text() == "model: say ithithere");
  CHECK(ids == gpt2().encode("model: say ithithere").ids);
  CHECK(session.part_ranges().size() == 2);
  CHECK(code_of([&] { session.append_sampled(std::vector<TokenId>{60000}); }) == ErrorCode::input);
}

TEST_CASE("rewinds cut sampled ids where their text ends") {
  Session session(gpt2());
  session.append("a ");
  session.append_sampled(std::vector<TokenId>{258, 18798, 995});  // he, llo, " world"
  session.append("!");
  CHECK(code_of([&] { session.rewind(5); }) == ErrorCode::usage);  // inside "llo"
  CHECK(session.text() == "a hello world!");
  session.rewind(7);
  CHECK(session.text() == "a hello");
  CHECK(session.part_ranges().back().last - session.part_ranges().back().first == 2);
  session.rewind(4);
  CHECK(session.snapshot().back() == 258);
  session.rewind(2);
  CHECK(session.part_ranges().size() == 1);
}

TEST_CASE("an update keeps sampled ids that it does not cut") {
  Session session(gpt2(), with_trust());
  session.append("q: ");
  session.append_sampled(std::vector<TokenId>{258, 18798});
  session.append("\nq: more ");
  session.append_sampled(std::vector<TokenId>{258, 18798});
  session.append(" end");
  session.update("Q: hello\nq: more hello end");
  CHECK(session.part_ranges().size() == 5);
  session.update("Q: hello\nq: more hellO<|endoftext|> end");
  const auto ranges = session.part_ranges();
  CHECK(session.text() == "Q: hello\nq: more hellO<|endoftext|> end");
  REQUIRE(ranges.size() >= 4);
  CHECK(ranges[1].kind == PartKind::sampled);
  CHECK(ranges[3].kind == PartKind::untrusted);  // a model's text, changed, is nobody's word
  for (const TokenId id : session.snapshot()) CHECK_FALSE(gpt2().is_special(id));
}

TEST_CASE("what replaces untrusted text is untrusted, unless the caller says what it is") {
  const std::string token = "<|endoftext|>";
  Session session(gpt2(), with_trust());
  session.append("system ");
  session.append_untrusted("user text");
  session.append(" tail");
  session.edit(7, 11, token);  // the whole word "user"
  CHECK(session.part_ranges().size() == 3);
  session.edit(10, 10, token);
  session.edit(7, 7, token);  // beside it
  for (const TokenId id : session.snapshot()) CHECK_FALSE(gpt2().is_special(id));
  session.edit(7, 7, Part{token, true});
  std::size_t control = 0;
  for (const TokenId id : session.snapshot()) control += gpt2().is_special(id);
  CHECK(control == 1);
  Session plain(gpt2());
  CHECK(code_of([&] { plain.append_untrusted("x"); }) == ErrorCode::usage);
  CHECK(code_of([&] { plain.edit(0, 0, Part{"x", false}); }) == ErrorCode::usage);
}

TEST_CASE("labels, and the tokens of parts behind the post-processor's") {
  Session session(gpt2());
  session.begin_part(1);
  session.append("one ");
  session.begin_part(1);
  session.append("wor");
  session.begin_part(2);
  session.append("d two");
  const auto ranges = session.part_ranges();
  REQUIRE(ranges.size() == 3);
  // one, " word", " two": the second token begins with the first part's blank.
  CHECK(session.tokens() == 3);
  CHECK(ranges[0] == PartRange{PartKind::text, 1, 0, 4, 0, 2});
  CHECK(ranges[1] == PartRange{PartKind::text, 1, 4, 7, 2, 2});
  CHECK(ranges[2] == PartRange{PartKind::text, 2, 7, 12, 2, 3});
}

TEST_CASE("a session without its text follows a cold encode") {
  std::mt19937 random(23);
  Session session(gpt2(), without_text());
  Session other = session.fork();
  std::string text;
  std::vector<TokenId> ids;
  std::size_t told = 0;
  const auto check = [&](const Patch& patch) {
    patch.apply(ids);
    CHECK(session.bytes() == text.size());
    const std::vector<TokenId> cold = gpt2().encode(text).ids;
    CHECK(ids == cold);
    CHECK(session.snapshot() == cold);
  };
  for (std::uint32_t i = 0; i < 120; ++i) {
    const std::string more = words(random() % 900, i);
    text += more;
    check(session.append(more));
    const std::size_t far = i % 24 < 6 ? 60000 : 3000;
    std::size_t at = text.size() - random() % std::min<std::size_t>(text.size() + 1, far);
    while (at > 0 && at < text.size() && (text[at] & 0xC0) == 0x80) --at;
    switch (i % 6) {
      case 0: {  // an edit somewhere, told by the full text
        text.replace(at, std::min<std::size_t>(3, text.size() - at), "changed");
        while (true) {
          try {
            (void)gpt2().encode(text);
            break;
          } catch (const Error&) {
            text.erase(at + 7, 1);
          }
        }
        check(session.update(text));
        break;
      }
      case 2: {
        const std::string before = text.substr(0, at);
        const std::size_t needed = session.rewind_needs(at);
        if (needed > 8) {
          std::size_t late = at - needed + 1;
          while ((text[late] & 0xC0) == 0x80) ++late;
          CHECK(code_of([&] { session.rewind(at, nullptr, before.substr(late)); }) ==
                ErrorCode::usage);
          ++told;
        }
        std::size_t from = at - needed;
        while (from > 0 && (text[from] & 0xC0) == 0x80) --from;
        text = before;
        check(session.rewind(at, nullptr, before.substr(from)));
        break;
      }
      case 4: {
        other = session.fork();
        break;
      }
      default:
        break;
    }
  }
  CHECK(text.size() > 60000);
  CHECK(told > 2);
  CHECK(code_of([&] { (void)session.text(); }) == ErrorCode::usage);
  CHECK(code_of([&] { session.edit(5, 6, "x"); }) == ErrorCode::usage);
  text += ".";
  check(session.update(text));
}

// Bytes that the allocator has given out, this program's own view of resident memory.
TEST_CASE("a session without its text holds at most 5 bytes a token") {
  const std::string text = words(400000, 17);
  const std::vector<TokenId> ids = gpt2().encode(text).ids;
  Tokenizer::Scratch scratch(gpt2());
  { Session(gpt2()).append(text, &scratch); }  // what stays is the scratch space's
  for (const bool parts : {false, true}) {
    const std::size_t before = in_use();
    Session session(gpt2(), without_text());
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
      std::size_t end = std::min(text.size(), at + 1400);
      while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
      const std::string_view piece = std::string_view(text).substr(at, end - at);
      if (parts) session.begin_part(static_cast<std::uint32_t>(count));
      session.append(piece, &scratch);
      at = end;
    }
    const auto tokens = static_cast<double>(session.tokens());
    const double held = static_cast<double>(in_use() - before) / tokens;
    fmt::print(
        "a session of {} tokens{} without its text: {:.3f} bytes a token; memory() says {:.3f}\n",
        session.tokens(), parts ? fmt::format(" in {} parts", count) : "", held,
        static_cast<double>(session.memory()) / tokens);
    CHECK(session.tokens() == ids.size());
    CHECK(held < 5);
  }
}
