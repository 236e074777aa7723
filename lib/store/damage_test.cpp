// Damaged files: every region of a record and of the file. Each outcome is a session with the right
// ids, a counted miss, or an Error at the opening; TOKTIER_STORE_EVERY_BYTE=1 takes every byte.

#include "store/sqlite.hpp"
#include "store/testing/worlds.hpp"
#include "toktier/store.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdlib>
#include <map>

namespace {

using namespace toktier;
using namespace toktier::store;
using namespace toktier::store::testing;

struct Expected {
  std::vector<TokenId> ids;
  std::string text;
};

struct Tally {
  int tried = 0, refused = 0, hits = 0, misses = 0, corrupt = 0, wrong = 0, failed_writes = 0;
  std::string first;
};

SessionOptions trusting() {
  SessionOptions options;
  options.trust = true;
  return options;
}

std::map<std::string, Expected> fill(const std::string& path) {
  std::map<std::string, Expected> expected;
  StoreOptions options;
  options.path = path;
  SessionStore store(options);
  for (std::size_t i = 0; i < 4; ++i) {
    Session session(gpt2(), trusting());
    session.append(words(1500 + 900 * i, i));
    if (i == 2) {
      session.append_untrusted("<|endoftext|>");
      session.append_sampled(std::vector<TokenId>{32, 32, 100});
      session.append(words(300, 77));
    }
    const std::string name = "record " + std::to_string(i);
    store.put(name, session);
    expected[name] = {session.snapshot(), session.text()};
    if (i == 3) {
      Session fork = session.fork();
      fork.append(" fork");
      store.put("fork", fork);
      expected["fork"] = {fork.snapshot(), fork.text()};
    }
  }
  return expected;
}

// Everything that can be asked of the store in `path`; `recheck` off, so that the checksums alone
// have to find what is wrong.
void ask(const std::string& path, const std::map<std::string, Expected>& expected,
         const std::string& what, Tally& tally) {
  ++tally.tried;
  StoreOptions options;
  options.path = path;
  options.recheck_bytes = 0;
  const auto wrong = [&] {
    ++tally.wrong;
    if (tally.first.empty()) tally.first = what;
  };
  std::optional<SessionStore> store;
  try {
    store.emplace(options);
  } catch (const Error& error) {
    ++tally.refused;
    if (std::string_view(error.what()).find(path) == std::string_view::npos) wrong();
    return;
  }
  for (const auto& [name, record] : expected) {
    try {
      if (const auto got = store->get(name, gpt2(), trusting());
          got && (got->snapshot() != record.ids || got->text() != record.text))
        wrong();
      const auto found = store->find(record.text, gpt2(), trusting());
      // All plain, so what is found is what a cold run gives.
      if (found && (record.text.substr(0, found->bytes) != found->session.text() ||
                    found->session.snapshot() != cold(gpt2(), found->session.text())))
        wrong();
    } catch (const Error&) {
      ++tally.failed_writes;
    }
  }
  try {
    const Session session = session_of("something new");
    Session again(gpt2(), trusting());
    again.append(expected.at("record 1").text + " again");
    store->put("new", session);
    store->put("record 1", again);
    if (const auto got = store->get("new", gpt2()); got && got->snapshot() != session.snapshot())
      wrong();
    if (const auto got = store->get("record 1", gpt2(), trusting());
        got && got->snapshot() != again.snapshot())
      wrong();
  } catch (const Error& error) {
    ++tally.failed_writes;
    if (error.code() == ErrorCode::internal) wrong();
  }
  try {
    const StoreCounters counters = store->counters();
    tally.hits += static_cast<int>(counters.hits);
    tally.misses += static_cast<int>(counters.misses());
    tally.corrupt += static_cast<int>(counters.corrupt);
  } catch (const Error&) {
    ++tally.failed_writes;
  }
}

void report(const char* what, const Tally& tally) {
  fmt::print(
      "{}: {} damaged files; {} refused at the opening, {} hits, {} misses ({} corrupt), {} other "
      "errors, {} wrong\n",
      what, tally.tried, tally.refused, tally.hits, tally.misses, tally.corrupt,
      tally.failed_writes, tally.wrong);
  CHECK_MESSAGE(tally.wrong == 0, tally.first);
  CHECK(tally.tried > 0);
}

bool every_byte() { return std::getenv("TOKTIER_STORE_EVERY_BYTE") != nullptr; }

}  // namespace

TEST_CASE("bytes of the file that were changed") {
  const Folder folder(true);
  const std::string path = folder.file("store.db");
  const auto expected = fill(path);
  const std::string sound = read_file(path);
  REQUIRE(sound.size() > 100000);
  Tally tally;
  std::mt19937 random(1);
  const auto damage = [&](std::size_t at, char bits) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ bits);
    write_file(path, bytes);
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-shm");
    ask(path, expected, fmt::format("byte {} xor {}", at, static_cast<int>(bits)), tally);
  };
  if (every_byte()) {
    for (std::size_t at = 0; at < sound.size(); ++at)
      damage(at, static_cast<char>(1U << (random() % 8)));
  } else {
    for (std::size_t at = 0; at < 100; ++at) damage(at, static_cast<char>(1U << (random() % 8)));
    // Heads of pages, where the tree hangs together; then anywhere.
    for (std::size_t page = 0; page < sound.size(); page += 4096)
      for (int i = 0; i < 4; ++i) damage(page + random() % 16, static_cast<char>(random() | 1));
    for (int i = 0; i < 600; ++i)
      damage(random() % sound.size(), static_cast<char>(1U << (random() % 8)));
  }
  report("changed bytes", tally);
  CHECK(tally.corrupt > 0);
  CHECK(tally.hits > 0);
  CHECK(tally.refused > 0);
}

TEST_CASE("files that end early, with stretches of zeros or of something else") {
  const Folder folder(true);
  const std::string path = folder.file("store.db");
  const auto expected = fill(path);
  const std::string sound = read_file(path);
  Tally tally;
  std::mt19937 random(2);
  for (int i = 0; i < 150; ++i) {
    std::string bytes = sound;
    const std::size_t at = random() % sound.size();
    const std::size_t size = std::min<std::size_t>(sound.size() - at, random() % 9000);
    switch (i % 4) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.resize(at / 4096 * 4096);
        break;
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, '\0');
        break;
      default:
        for (std::size_t k = 0; k < size; ++k) bytes[at + k] = static_cast<char>(random());
    }
    write_file(path, bytes);
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-shm");
    ask(path, expected, fmt::format("case {} at {} of {}", i % 4, at, size), tally);
  }
  report("files cut and overwritten", tally);
  CHECK(tally.corrupt > 0);
}

TEST_CASE("a log that was changed or cut") {
  const Folder folder(true);
  const std::string path = folder.file("store.db");
  std::map<std::string, Expected> expected;
  std::string sound, log;
  {
    StoreOptions options;
    options.path = path;
    SessionStore store(options);
    Session session(gpt2(), trusting());
    session.append(words(1500, 5));
    for (const char* name : {"record 1", "record 2", "record 3", "record 4"}) {
      store.put(name, session);
      expected[name] = {session.snapshot(), session.text()};
      session.append(words(300, expected.size()));
    }
    sound = read_file(path);
    log = read_file(path + "-wal");
  }
  REQUIRE(log.size() > 10000);
  Tally tally;
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = log;
    const std::size_t at = random() % log.size();
    if (i % 3 == 0)
      bytes.resize(at);
    else
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << (random() % 8)));
    write_file(path, sound);
    write_file(path + "-wal", bytes);
    std::filesystem::remove(path + "-shm");
    ask(path, expected, fmt::format("log {} at {}", i % 3, at), tally);
  }
  report("damaged logs", tally);
  CHECK(tally.hits > 400);
  CHECK(tally.misses > 100);
}

TEST_CASE("every column of a record, changed under a sound file") {
  const Folder folder(true);
  const std::string path = folder.file("store.db");
  const auto expected = fill(path);
  const std::string sound = read_file(path);
  Tally tally;
  const char* const changes[] = {
      "UPDATE maker SET fingerprint=fingerprint||'x'",
      "UPDATE maker SET options='special=default'",
      "UPDATE maker SET revision=revision+1",
      "DELETE FROM maker",
      "UPDATE record SET name='record 1' WHERE name='record x'",
      "UPDATE record SET name='swapped' WHERE name='record 1'; UPDATE record SET name='record 1' "
      "WHERE name='record 0'",
      "UPDATE record SET format=0",
      "UPDATE record SET format='text'",
      "UPDATE record SET used=9223372036854775807",
      "UPDATE record SET used=-1",
      "UPDATE record SET size=-1000000000",
      "UPDATE record SET bytes=bytes+1",
      "UPDATE record SET bytes=-1",
      "UPDATE record SET tokens=tokens-1",
      "UPDATE record SET parts=parts-1",
      "UPDATE record SET parts=1000000000000",
      "UPDATE record SET marks=x''",
      "UPDATE record SET marks=zeroblob(9)",
      "UPDATE record SET marks=randomblob(length(marks))",
      "UPDATE record SET digest=zeroblob(16)",
      "UPDATE record SET digest=(SELECT digest FROM record WHERE name='record 0')",
      "DELETE FROM part WHERE place=0",
      "DELETE FROM part WHERE place=1",
      "UPDATE part SET place=place+1 WHERE place=(SELECT max(place) FROM part)",
      "UPDATE part SET leaf=1",
      "UPDATE part SET leaf=leaf+1",
      "UPDATE part SET leaf=-1",
      "UPDATE part SET kind=2",
      "UPDATE part SET kind=3",
      "UPDATE part SET kind=99",
      "UPDATE part SET bytes=bytes-1",
      "UPDATE part SET bytes=9223372036854775807",
      "UPDATE part SET tokens=0",
      "UPDATE part SET digest=zeroblob(16)",
      "UPDATE part SET digest=x'00'",
      "UPDATE part SET leaf=1,digest=(SELECT digest FROM part WHERE leaf=1)",
      "UPDATE leaf SET uses=0",
      "UPDATE leaf SET uses=1",
      "UPDATE leaf SET uses=-5,size=-1",
      "DELETE FROM leaf",
      "UPDATE payload SET data=x''",
      "UPDATE payload SET data=zeroblob(length(data))",
      "UPDATE payload SET data=substr(data,1,length(data)-1)",
      "UPDATE payload SET data=data||x'00'",
      "UPDATE payload SET data=(SELECT data FROM payload p ORDER BY id DESC LIMIT 1)",
      "UPDATE payload SET data='a text'",
      "DELETE FROM payload WHERE id=1",
      "UPDATE chain SET entry=entry+1",
      "UPDATE chain SET record=record+1000",
      "UPDATE chain SET entry=(SELECT entry FROM chain ORDER BY record DESC,place DESC LIMIT 1)",
      "DELETE FROM chain WHERE place=0",
      "DELETE FROM total",
      "UPDATE total SET bytes=-1",
      "UPDATE sqlite_sequence SET seq=0",
      "DROP TABLE part",
      "DROP TABLE gone",
      "DROP TABLE total",
      "DROP INDEX chain_entry",
      "DROP TABLE payload; CREATE TABLE payload(id TEXT, data TEXT)",
      "DROP TABLE record; CREATE VIEW record AS SELECT 1 AS id",
  };
  for (const char* change : changes) {
    write_file(path, sound);
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-shm");
    try {
      Database(path).execute(change);
    } catch (const SqliteFailure& failure) {
      FAIL_CHECK(change << ": " << failure.what());
    }
    ask(path, expected, change, tally);
  }
  report("changed columns", tally);
  CHECK(tally.corrupt > 50);
}
