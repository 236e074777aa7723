// A store in a file: what survives, what is refused, what an append writes, a disk that is full.

#include "store/record_rows.hpp"
#include "store/sqlite.hpp"
#include "store/sqlite_schema.hpp"
#include "store/testing/worlds.hpp"
#include "toktier/store.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <sys/resource.h>

namespace {

using namespace toktier;
using namespace toktier::store;
using namespace toktier::store::testing;

bool is(const std::optional<Session>& session, const std::string& text) {
  return session && session->text() == text && session->snapshot() == cold(gpt2(), text);
}

StoreOptions at(const std::string& path) {
  StoreOptions options;
  options.path = path;
  return options;
}

}  // namespace

TEST_CASE("records outlive the store, and an open file can be taken over as it lies") {
  const Folder folder;
  const std::string path = folder.file("store.db");
  const std::string text = words(40000, 1);
  {
    SessionStore store(at(path));
    store.put("one", session_of(text));
    store.put("two", session_of("two"));
    // As after the end of the process: the log is not written back.
    for (const char* end : {"", "-wal"})
      std::filesystem::copy_file(path + end, folder.file(std::string("copy.db") + end));
  }
  CHECK(std::filesystem::file_size(folder.file("copy.db-wal")) > text.size());
  for (const char* name : {"store.db", "copy.db"}) {
    SessionStore store(at(folder.file(name)));
    CHECK(is(store.get("one", gpt2()), text));
    CHECK(is(store.get("two", gpt2()), "two"));
    CHECK(store.find(text, gpt2())->bytes == text.size());
    CHECK(store.counters().corrupt == 0);
  }
}

TEST_CASE("what is no session store, or a later one, is refused by name") {
  const Folder folder;
  const std::string text = folder.file("notes.txt");
  write_file(text, words(3000, 2));
  CHECK(error_of([&] { SessionStore store(at(text)); }) ==
        "input: " + text + ": not a session store");
  const std::string before = read_file(text);
  CHECK(before == words(3000, 2));

  const std::string other = folder.file("other.db");
  Database(other).execute("CREATE TABLE t(x)");
  CHECK(error_of([&] { SessionStore store(at(other)); }) ==
        "input: " + other + ": a database, but not a session store");

  const std::string later = folder.file("later.db");
  { SessionStore store(at(later)); }
  Database(later).execute("PRAGMA user_version=2");
  CHECK(error_of([&] { SessionStore store(at(later)); }) ==
        "unsupported: " + later + ": a session store of format 2; this version reads format 1");

  CHECK(error_of([&] {
          SessionStore store(at(folder.file("no/such/folder.db")));
        }).starts_with("unavailable: " + folder.file("no/such/folder.db")));
  CHECK(error_of([&] { SessionStore store(at(folder.file(""))); }).starts_with("unavailable: "));
  const std::string empty = folder.file("empty.db");
  write_file(empty, "");
  CHECK(error_of([&] { SessionStore store(at(empty)); }) == "none");
}

TEST_CASE("records of another form, and of makers that were changed, miss") {
  const Folder folder;
  const std::string path = folder.file("store.db");
  {
    SessionStore store(at(path));
    store.put("later", session_of("text of a later form"));
    store.put("kept", session_of("kept"));
    Session other(tiny());
    other.append("the code");
    store.put("tiny", other);
  }
  Database(path).execute("UPDATE record SET format=2 WHERE name='later'");
  SessionStore store(at(path));
  CHECK(!store.get("later", gpt2()));
  CHECK(store.counters().format == 1);
  CHECK(store.list().size() == 2);
  // The record says another tokenizer than the one that made it.
  Database(path).execute(
      "UPDATE record SET maker=(SELECT maker FROM record WHERE name='kept') WHERE name='tiny'");
  CHECK(!store.get("tiny", gpt2()));
  CHECK(store.counters().corrupt == 1);
  Database(path).execute("UPDATE maker SET unicode='1.1' WHERE revision=1");
  CHECK(!store.get("kept", gpt2()));
  CHECK(store.counters().foreign == 1);
  CHECK(store.put("kept", session_of("kept again")));
  CHECK(is(store.get("kept", gpt2()), "kept again"));
}

TEST_CASE("ids that are wrong under a right checksum are found when they are encoded again") {
  const Folder folder;
  int found = 0;
  for (const std::size_t recheck : {std::size_t{0}, std::size_t{4096}}) {
    const std::string path = folder.file(std::to_string(recheck));
    StoreOptions options = at(path);
    options.recheck_bytes = recheck;
    const std::string text = words(400, 3);
    {
      SessionStore store(options);
      SessionOptions trust;
      trust.trust = true;
      Session session(gpt2(), trust);
      session.append(text);
      store.put("chat", session);
    }
    // As an encoder with another merge would have left it: one id is another one of equal length.
    {
      Database database(path);
      Statement read(database, "SELECT data FROM payload");
      std::string payload;
      {
        auto run = read.run();
        REQUIRE(run.row());
        payload = run.bytes(0);
      }
      const std::size_t ids = 26 + text.size();
      payload[ids + 20] = static_cast<char>(payload[ids + 20] ^ 1);
      const Digest digest = digest_of(payload);
      Statement(database, "UPDATE payload SET data=?").execute(Statement::Blob{payload});
      Statement(database, "UPDATE part SET digest=?").execute(Statement::Blob{view(digest)});
      Statement rows(
          database,
          "SELECT p.bytes,p.tokens,r.marks,m.fingerprint,m.reference,m.unicode,m.options,"
          "m.revision FROM part p, record r, maker m");
      RecordRow record;
      PartRow part;
      {
        auto run = rows.run();
        REQUIRE(run.row());
        part.outline = {LeafOutline::Kind::begins_run, static_cast<std::size_t>(run.integer(0)),
                        static_cast<std::size_t>(run.integer(1))};
        part.digest = digest;
        record.name = "chat";
        record.format = 1;
        record.bytes = part.outline.bytes;
        record.tokens = part.outline.tokens;
        record.marks = run.bytes(2);
        record.maker = {std::string(run.bytes(3)), std::string(run.bytes(4)),
                        std::string(run.bytes(5)), std::string(run.bytes(6)), run.integer(7)};
      }
      const Digest all = record_digest(record, {part});
      Statement(database, "UPDATE record SET digest=?").execute(Statement::Blob{view(all)});
    }
    SessionStore store(options);
    SessionOptions trust;
    trust.trust = true;
    const auto got = store.get("chat", gpt2(), trust);
    CHECK(got.has_value() == (recheck == 0));
    if (!got) {
      ++found;
      CHECK(store.counters().corrupt == 1);
      CHECK(store.counters().entries == 0);
    }
  }
  CHECK(found == 1);
}

TEST_CASE("an append to a long session writes what is new, and a fork its list of blocks") {
  const Folder folder;
  const std::string path = folder.file("store.db");
  SessionStore store(at(path));
  std::string text = words(2000, 4);
  while (text.size() < 8000000) text += text;
  Session session = session_of(text.substr(0, 8000000));
  store.put("long", session);
  Database reader(path);
  const auto log_bytes = [&] { return std::filesystem::file_size(path + "-wal"); };
  const auto payload = [&](const char* sql) { return reader.number(sql); };
  const std::int64_t whole = payload("SELECT sum(length(data)) FROM payload");
  CHECK(whole > 8000000);
  reader.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  std::uint64_t most_log = 0, all_log = 0, most_payload = 0;
  std::uint64_t at_id = static_cast<std::uint64_t>(payload("SELECT max(id) FROM payload"));
  constexpr int kAppends = 20;
  std::uint64_t before = 0;
  std::chrono::duration<double, std::micro> spent{};
  for (int i = 0; i < kAppends; ++i) {
    session.append(words(330, 100 + static_cast<std::size_t>(i)));
    const auto start = std::chrono::steady_clock::now();
    store.put("long", session);
    spent += std::chrono::steady_clock::now() - start;
    most_log = std::max(most_log, log_bytes() - before);
    all_log += log_bytes() - before;
    before = log_bytes();
    const auto written = static_cast<std::uint64_t>(payload(
        ("SELECT sum(length(data)) FROM payload WHERE id>" + std::to_string(at_id)).c_str()));
    at_id = static_cast<std::uint64_t>(payload("SELECT max(id) FROM payload"));
    most_payload = std::max(most_payload, written);
  }
  store.put("fork", session.fork());
  const std::uint64_t fork_log = log_bytes() - before;
  MESSAGE("appends of " << words(330, 100).size() << " bytes at " << session.bytes()
                        << " bytes: at most " << most_payload << " bytes of rows, " << most_log
                        << " bytes of log (mean " << all_log / kAppends << "), mean "
                        << spent.count() / kAppends << " us; a fork " << fork_log
                        << " bytes of log");
  CHECK(most_payload < 64 << 10);
  CHECK(most_log < 256 << 10);
  CHECK(fork_log < 512 << 10);
  CHECK(is(SessionStore(at(path)).get("long", gpt2()), session.text()));
  CHECK(is(SessionStore(at(path)).get("fork", gpt2()), session.text()));
}

TEST_CASE("the file may be vacuumed, and two stores may use it at once") {
  const Folder folder;
  const std::string path = folder.file("store.db");
  SessionStore one(at(path));
  SessionStore two(at(path));
  Session session = session_of(words(30000, 5));
  CHECK(one.put("a", session));
  auto got = two.get("a", gpt2());
  REQUIRE(is(got, session.text()));
  got->append(" from two");
  CHECK(two.put("a", *got));
  CHECK(is(one.get("a", gpt2()), got->text()));
  // What one knows to be in the file, two takes away.
  CHECK(two.drop("a"));
  CHECK(two.put("else", session_of("else")));
  Database(path).execute("VACUUM");
  CHECK(one.put("a", session));
  CHECK(is(two.get("a", gpt2()), session.text()));
  Database(path).execute("VACUUM");
  for (int i = 0; i < 20; ++i) {
    SessionStore& store = i % 2 == 0 ? one : two;
    std::size_t place = static_cast<std::size_t>(100 * i);
    while ((static_cast<unsigned char>(session.text()[place]) & 0xC0) == 0x80) ++place;
    session.edit(place, place, "x");
    CHECK(store.put("a", session));
    CHECK(store.put("b", session.fork()));
    CHECK(is((i % 2 == 0 ? two : one).get("a", gpt2()), session.text()));
  }
  CHECK(two.drop("a"));
  CHECK(is(one.get("b", gpt2()), session.text()));
  CHECK(one.counters().corrupt + two.counters().corrupt == 0);
  Database reader(path);
  CHECK(reader.number("SELECT count(*) FROM leaf") ==
        reader.number("SELECT count(*) FROM payload"));
  CHECK(reader.number("SELECT sum(uses) FROM leaf") == reader.number("SELECT count(*) FROM part"));
  CHECK(one.drop("b"));
  CHECK(one.drop("else"));
  CHECK(reader.number("SELECT count(*) FROM payload") == 0);
  CHECK(reader.number("SELECT count(*) FROM chain") == 0);
  CHECK(reader.number("SELECT bytes FROM total") == 0);
}

TEST_CASE("a full disk is an error that names the file, and what was stored stays") {
  const Folder folder;
  const std::string path = folder.file("store.db");
  SessionStore store(at(path));
  Session session = session_of(words(10000, 6));
  const std::string text = session.text();
  CHECK(store.put("chat", session));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = std::filesystem::file_size(path + "-wal") + 10000;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  session.append(words(60000, 7));
  const std::string error = error_of([&] { store.put("chat", session); });
  const std::string more = error_of([&] { store.put("new", session); });
  const bool old_state = is(store.get("chat", gpt2()), text);
  const bool nothing_new = !store.get("new", gpt2());
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, old_handler);
  CHECK(error.starts_with("unavailable: " + path + ": no room to write"));
  CHECK(more.starts_with("unavailable: " + path + ": no room to write"));
  CHECK(old_state);
  CHECK(nothing_new);
  // With room again the same store goes on.
  CHECK(store.put("chat", session));
  CHECK(is(store.get("chat", gpt2()), session.text()));
  CHECK(is(SessionStore(at(path)).get("chat", gpt2()), session.text()));
}
