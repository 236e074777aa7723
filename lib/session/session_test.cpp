// The public face: patches, options, errors, and the cases that stacks which keep prefixes get
// wrong.

#include "toktier/session.hpp"

#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <malloc.h>
#include <random>
#include <thread>

namespace {

using namespace toktier;

const Tokenizer& gpt2() {
  static const Tokenizer tokenizer = Tokenizer::load("embedded");
  return tokenizer;
}

std::vector<TokenId> cold(const Tokenizer& tokenizer, const std::string& text, bool special) {
  EncodeOptions options;
  options.add_special = special;
  options.truncate = false;
  return tokenizer.encode(text, options).ids;
}

// A sequence that follows a session by its patches alone.
struct Follower {
  explicit Follower(const Tokenizer& t, SessionOptions options = {})
      : tokenizer(t), special(options.add_special), session(t, options) {}
  void check(const Patch& patch) {
    patch.apply(ids);
    const std::vector<TokenId> expected = cold(tokenizer, text, special);
    CHECK(session.text() == text);
    CHECK(ids == expected);
    CHECK(session.snapshot() == expected);
    CHECK(session.tokens() == expected.size());
    CHECK(session.bytes() == text.size());
  }
  Patch append(const std::string& more) {
    text += more;
    Patch patch = session.append(more);
    check(patch);
    return patch;
  }
  void edit(std::size_t begin, std::size_t end, const std::string& by) {
    text.replace(begin, end - begin, by);
    check(session.edit(begin, end, by));
  }
  void update(const std::string& full) {
    text = full;
    check(session.update(full));
  }
  const Tokenizer& tokenizer;
  bool special;
  Session session;
  std::string text;
  std::vector<TokenId> ids;
};

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

}  // namespace

TEST_CASE("appends, edits, updates and rewinds follow a cold encode") {
  Follower f(gpt2());
  f.append("");
  f.append(words(3000, 1));
  for (std::uint32_t i = 0; i < 40; ++i) f.append(words(i % 7 == 0 ? 200 : i % 5, i));
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    std::size_t begin = random() % f.text.size();
    std::size_t end = std::min(f.text.size(), begin + random() % 300);
    while (begin > 0 && (f.text[begin] & 0xC0) == 0x80) --begin;
    while (end < f.text.size() && (f.text[end] & 0xC0) == 0x80) ++end;
    f.edit(begin, end, words(random() % 20, static_cast<std::uint32_t>(random())));
    std::string next = f.text;
    next.replace(begin, 0, "changed");
    f.update(next + " and more");
  }
  f.text.resize(f.text.find(' ', 2000));
  f.check(f.session.rewind(f.text.size()));
  f.update("");
  f.append("again");
}

TEST_CASE("an append to a long text gives a short patch and touches little of it") {
  Follower f(gpt2());
  f.append(words(20000, 2));
  const SessionStatistics before = f.session.statistics();
  const std::size_t tokens = f.session.tokens();
  const Patch patch = f.append(" and so on");
  CHECK(patch.keep_tokens + 4 > tokens);
  CHECK(patch.ids.size() < 8);
  CHECK(patch.tail_tokens == 0);
  CHECK(f.session.statistics().bytes_encoded - before.bytes_encoded < 120);
  // An edit far from the end leaves the tail.
  f.text.replace(100, 0, "zz");
  const Patch edit = f.session.edit(100, 100, "zz");
  CHECK(edit.ids.size() < 30);
  CHECK(edit.tail_tokens > tokens - 100);
  f.check(edit);
}

TEST_CASE("the first patch holds all ids, also of an empty document") {
  SessionOptions options;
  options.add_special = true;
  Follower empty(gpt2(), options);
  empty.check(empty.session.append(""));
  Follower closed(gpt2());
  closed.append("some text");
  closed.session.close();
  closed.text.clear();
  closed.ids.clear();
  closed.append("other text");
}

TEST_CASE("half of a special token at the end") {
  const std::string token = "<|endoftext|>";
  for (std::size_t cut = 1; cut < token.size(); ++cut) {
    Follower f(gpt2());
    f.append(words(400, 9) + " x");
    f.append(token.substr(0, cut));
    f.append(token.substr(cut));
    f.append(token.substr(0, cut));
    f.append(" no");
  }
  Follower bytewise(gpt2());
  bytewise.append(words(300, 9));
  for (const char c : " a<|endoftext|>b<|endof<|endoftext|>\n\n")
    bytewise.append(std::string(1, c));
}

TEST_CASE("contractions, digits and blanks grow byte by byte") {
  for (const char* text :
       {"I'll 'twas we've", "1234567890 12", "a   \n\n  b    c", "\r\n\r\n x", "'''' '''"}) {
    Follower f(gpt2());
    f.append(words(200, 4));
    for (const char* at = text; *at != 0; ++at) f.append(std::string(1, *at));
  }
}

TEST_CASE("forks are independent") {
  Follower f(gpt2());
  f.append(words(5000, 3));
  Follower a(gpt2()), b(gpt2());
  for (Follower* fork : {&a, &b}) {
    fork->session = f.session.fork();
    fork->text = f.text;
    fork->ids = f.ids;
  }
  a.append(" one way");
  b.edit(0, 10, "other");
  f.append(" and this");
  a.append(words(50, 1));
  b.append(words(50, 2));
  f.check(f.session.append(""));
}

TEST_CASE("errors leave the session as it was") {
  Follower f(gpt2());
  f.append("caf\xC3\xA9 ol\xC3\xA9");
  const auto code_of = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  CHECK(code_of([&] { f.session.append("\xC3"); }) == ErrorCode::input);
  CHECK(code_of([&] { f.session.edit(4, 5, "e"); }) == ErrorCode::usage);
  CHECK(code_of([&] { f.session.edit(3, 2, "e"); }) == ErrorCode::usage);
  CHECK(code_of([&] { f.session.edit(3, 200, "e"); }) == ErrorCode::usage);
  CHECK(code_of([&] { f.session.rewind(100); }) == ErrorCode::usage);
  CHECK(code_of([&] { f.session.update("caf\xC3"); }) == ErrorCode::input);
  f.append(" fine");
}

TEST_CASE("many sessions of one tokenizer in many threads") {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  Session origin(gpt2());
  origin.append(words(4000, 11));
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&wrong, i, session = origin.fork()]() mutable {
      std::string text = session.text();
      for (std::uint32_t k = 0; k < 30; ++k) {
        const std::string more = words(k, static_cast<std::uint32_t>(i) * 100 + k);
        text += more;
        session.append(more);
      }
      wrong[i] = session.snapshot() == gpt2().encode(text).ids ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

// Bytes that the allocator has given out, this program's own view of resident memory.
TEST_CASE("a session holds at most 9 bytes a token") {
  const std::string text = words(400000, 17);
  const std::vector<TokenId> ids = gpt2().encode(text).ids;
  const auto in_use = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  Tokenizer::Scratch scratch(gpt2());
  { Session(gpt2()).append(text, &scratch); }  // what stays is the scratch space's
  const std::size_t before = in_use();
  Session session(gpt2());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.size(), at + 1400);
    while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
    session.append(std::string_view(text).substr(at, end - at), &scratch);
    at = end;
  }
  const double held = static_cast<double>(in_use() - before) / static_cast<double>(ids.size());
  const double of_text = static_cast<double>(text.size()) / static_cast<double>(ids.size());
  fmt::print(
      "a session of {} tokens: {:.3f} bytes a token, {:.3f} of them text; memory() says {:.3f}\n",
      ids.size(), held, of_text,
      static_cast<double>(session.memory()) / static_cast<double>(ids.size()));
  CHECK(session.tokens() == ids.size());
  CHECK(held < 9);
  CHECK(held < 4 + of_text + 0.25);
}
