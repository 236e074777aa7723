// Stores with every shared tokenizer file: sessions put, got from a file that is opened anew, found
// by prefixes that end anywhere, at the borders of blocks too, and changed further. Skipped visibly
// where the files are absent.

#include "session/testing/shared_files.hpp"

#include "session/state.hpp"
#include "store/testing/worlds.hpp"
#include "toktier/store.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace {

using namespace toktier;
using namespace toktier::store::testing;
using session::testing::distinct_files;
using session::testing::shared_folder;

struct Tally {
  int files = 0, left_out = 0, got = 0, found = 0, differ = 0;
  std::string first;
};

// Words, and what is hard at the end of a text.
std::string hard_words(std::size_t count, std::size_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  const char* const more[] = {"e\xCC\x81", "\xE1\x84\x80\xE1\x85\xA1",
                              "   ",       "123456",
                              "\r\n",      "\xE3\x80\x82",
                              "<s>",       "'",
                              "[MASK] ",   "<|"};
  std::string text;
  while (count-- > 0)
    text += random() % 3 == 0 ? more[random() % std::size(more)] : words(3, random());
  return text;
}

void check(const Tokenizer& tokenizer, const std::string& name, const std::string& path,
           std::size_t seed, Tally& tally) {
  StoreOptions options;
  options.path = path;
  const auto same = [&](const Session& session, const std::string& text) {
    if (session.text() == text && session.snapshot() == cold(tokenizer, text)) return;
    ++tally.differ;
    if (tally.first.empty()) tally.first = fmt::format("{}: {} bytes", name, text.size());
  };
  Session session(tokenizer);
  const std::string text = hard_words(9000, seed);
  session.append(text);
  SessionStore(options).put("one", session);
  SessionStore store(options);
  auto got = store.get("one", tokenizer);
  REQUIRE_MESSAGE(got, name);
  same(*got, text);
  ++tally.got;
  std::string changed = text;
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  const auto border = [](const std::string& in, std::size_t at) {
    while (at < in.size() && (static_cast<unsigned char>(in[at]) & 0xC0) == 0x80) ++at;
    return at;
  };
  for (int i = 0; i < 6; ++i) {
    const std::size_t begin = border(changed, random() % changed.size());
    const std::size_t end = border(changed, std::min(changed.size(), begin + random() % 200));
    const std::string more = hard_words(random() % 20, random());
    got->edit(begin, end, more);
    changed.replace(begin, end - begin, more);
    store.put("one", *got);
    got = store.get("one", tokenizer);
    REQUIRE_MESSAGE(got, name);
    same(*got, changed);
    ++tally.got;
  }
  std::vector<std::size_t> ends;
  std::size_t at = 0;
  for (const auto& leaf : session::StateAccess::state(*got).leaves)
    ends.push_back(at += leaf.bytes());
  for (int i = 0; i < 6; ++i) ends.push_back(4096 + random() % (changed.size() - 4096));
  for (const std::size_t end : ends) {
    if (end < 4096) continue;
    auto found = store.find(std::string_view(changed).substr(0, end), tokenizer);
    REQUIRE_MESSAGE(found, name);
    same(found->session, changed.substr(0, found->bytes));
    CHECK(found->bytes + 4 > end);
    ++tally.found;
    const std::string other = changed.substr(0, found->bytes) + hard_words(30, end);
    found->session.update(other);
    same(found->session, other);
  }
  CHECK(store.counters().corrupt == 0);
  CHECK(store.drop("one"));
}

}  // namespace

TEST_CASE("stored sessions of every shared tokenizer file have the ids of their text") {
  const std::vector<std::string> files = distinct_files();
  if (files.empty()) {
    fmt::print("skipped: no shared tokenizer files\n");
    return;
  }
  const Folder folder(true);
  Tally tally;
  for (const std::string& file : files) {
    try {
      const Tokenizer tokenizer = Tokenizer::load((shared_folder() / "tokenizers" / file).string());
      check(tokenizer, file, folder.file("store.db"), ++tally.files, tally);
    } catch (const Error&) {
      ++tally.left_out;  // no tokenizer, one without sessions, or a text that it refuses
    }
  }
  fmt::print("{} tokenizer files ({} more left out): {} sessions read, {} found, {} differ\n",
             tally.files - tally.left_out, tally.left_out, tally.got, tally.found, tally.differ);
  CHECK_MESSAGE(tally.differ == 0, tally.first);
  CHECK(tally.files - tally.left_out > 20);
}
