// What store.hpp promises, in memory and in a file.

#include "toktier/store.hpp"

#include "store/testing/worlds.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <thread>

namespace {

using namespace toktier;
using namespace toktier::store::testing;

template <class Test>
void both(Test&& test) {
  for (const bool in_file : {false, true}) {
    CAPTURE(in_file);
    Place place(in_file);
    test(place);
  }
}

bool is(const std::optional<Session>& session, const std::string& text) {
  return session && session->text() == text && session->snapshot() == cold(gpt2(), text);
}

}  // namespace

TEST_CASE("a session comes out as it went in, and both go their ways") {
  both([](Place& place) {
    SessionStore store(place.options());
    const std::string text = words(20000, 1);
    Session session = session_of(text);
    CHECK(store.put("chat", session));
    session.append(" and more");
    session.edit(5, 9, "other words");
    auto first = store.get("chat", gpt2());
    REQUIRE(is(first, text));
    std::vector<TokenId> ids = first->snapshot();
    first->append("tail").apply(ids);
    CHECK(ids == cold(gpt2(), text + "tail"));
    first->edit(0, text.size() / 2, "front").apply(ids);
    CHECK(ids == cold(gpt2(), first->text()));
    CHECK(is(store.get("chat", gpt2()), text));
    CHECK(store.put("chat", *first));
    CHECK(is(store.get("chat", gpt2()), first->text()));
    CHECK(store.put("empty", Session(gpt2())));
    CHECK(is(store.get("empty", gpt2()), ""));
    CHECK(!store.get("chat ", gpt2()));
    const StoreCounters counters = store.counters();
    CHECK(counters.puts == 3);
    CHECK(counters.hits == 4);
    CHECK(counters.misses() == 1);
    CHECK(counters.absent == 1);
    CHECK(counters.entries == 2);
    CHECK(counters.bytes > first->bytes());
  });
}

TEST_CASE("names are any bytes") {
  both([](Place& place) {
    SessionStore store(place.options());
    const std::string names[] = {"",         " ",
                                 "a\nb",     "a",
                                 "A",        std::string("nul\0nul", 7),
                                 "\xFF\xFE", "'; DROP TABLE record; --"};
    for (const std::string& name : names)
      store.put(name, session_of("it is " + std::to_string(name.size())));
    for (const std::string& name : names)
      CHECK(is(store.get(name, gpt2()), "it is " + std::to_string(name.size())));
    CHECK(store.list().size() == std::size(names));
  });
}

TEST_CASE("the longest stored prefix is found by content") {
  both([](Place& place) {
    SessionStore store(place.options());
    const std::string text = words(30000, 2);
    store.put("short", session_of(text.substr(0, 20000)));
    store.put("long", session_of(text.substr(0, 60001)));
    store.put("forks off", session_of(text.substr(0, 50000) + words(10000, 3)));
    store.put("else", session_of(words(20000, 4)));
    auto found = store.find(text, gpt2());
    REQUIRE(found);
    CHECK(found->name == "long");
    CHECK(found->bytes >= 59998);
    CHECK(found->bytes <= 60001);
    CHECK(found->session.text() == text.substr(0, found->bytes));
    CHECK(found->session.snapshot() == cold(gpt2(), found->session.text()));
    std::vector<TokenId> ids = found->session.snapshot();
    found->session.update(text).apply(ids);
    CHECK(ids == cold(gpt2(), text));
    // A text that ends inside a stored one.
    found = store.find(std::string_view(text).substr(0, 30000), gpt2());
    REQUIRE(found);
    CHECK(found->session.text() == text.substr(0, found->bytes));
    CHECK(found->bytes >= 29997);
    CHECK(found->session.snapshot() == cold(gpt2(), found->session.text()));
    // Behind the fork, up to the last byte in common, wherever that is.
    std::string other = text.substr(0, 50000) + words(10000, 3).substr(0, 7000) + "!!!";
    for (std::size_t cut = 0; cut < 40; ++cut) {
      other.insert(other.size() - 3, "\xE4\xBD\xA0");
      found = store.find(other, gpt2());
      REQUIRE(found);
      CHECK(found->name == "forks off");
      CHECK(found->session.text() == other.substr(0, found->bytes));
      CHECK(found->bytes >= 56990);
      CHECK(found->session.snapshot() == cold(gpt2(), found->session.text()));
    }
    CHECK(!store.find("the beginning of something else", gpt2()));
    CHECK(!store.find(words(9000, 5), gpt2()));
    CHECK(store.counters().absent == 2);
  });
}

TEST_CASE("a prefix that ends inside a character ends before it") {
  both([](Place& place) {
    SessionStore store(place.options());
    const std::string text = words(4000, 30);
    store.put("one", session_of(text + "\xE4\xBD\xA0 and more"));
    // The last byte differs; the text asked for ends there; or is none.
    for (const char* end : {"\xE4\xBD\xA1", "\xE4\xBD", "\xE4\xBD\xE4\xBD"}) {
      const auto found = store.find(text + end, gpt2());
      REQUIRE(found);
      CHECK(found->bytes == text.size());
      CHECK(found->session.snapshot() == cold(gpt2(), text));
    }
  });
}

TEST_CASE("what is found follows every edit of what is stored") {
  both([](Place& place) {
    SessionStore store(place.options());
    Session session(gpt2());
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) {
      const std::string old = session.text();
      std::size_t at = old.empty() ? 0 : random() % old.size();
      if (random() % 2 == 0) at = old.size();
      while (at < old.size() && (static_cast<unsigned char>(old[at]) & 0xC0) == 0x80) ++at;
      session.edit(at, at, words(random() % 2000, random()));
      if (random() % 5 == 0) session.rewind(0), session.append(words(3000, random()));
      store.put("one", session);
      const std::string text = session.text();
      if (text.size() < 5000) continue;
      const auto found = store.find(text + " more", gpt2());
      REQUIRE(found);
      CHECK(found->bytes == text.size());
      CHECK(found->session.snapshot() == cold(gpt2(), text));
    }
    CHECK(store.counters().entries == 1);
  });
}

TEST_CASE("records of another tokenizer or other options miss") {
  both([](Place& place) {
    SessionStore store(place.options());
    const std::string text = words(5000, 6);
    store.put("chat", session_of(text));
    SessionOptions all, list, special, trust;
    all.special = SpecialMode::all;
    list.special = SpecialMode::list;
    list.special_list = {"<|endoftext|>"};
    special.add_special = true;
    trust.trust = true;
    CHECK(!store.get("chat", tiny()));
    for (const SessionOptions& options : {all, list, special, trust}) {
      CHECK(!store.get("chat", gpt2(), options));
      CHECK(!store.find(text, gpt2(), options));
    }
    CHECK(!store.find(text, tiny()));
    CHECK(store.counters().foreign == 5);
    CHECK(store.counters().absent == 5);
    CHECK(is(store.get("chat", gpt2()), text));
    for (const SessionOptions& options : {all, list, special, trust}) {
      store.put("chat", session_of(text, options));
      auto again = store.get("chat", gpt2(), options);
      REQUIRE(again);
      CHECK(again->snapshot() == cold(gpt2(), text, options.add_special));
      CHECK(!store.get("chat", gpt2()));
    }
    Session other(tiny());
    other.append("the code");
    store.put("chat", other);
    CHECK(store.get("chat", tiny())->snapshot() == std::vector<TokenId>{1, 2});
  });
}

TEST_CASE("parts keep their kinds, labels and ids") {
  both([](Place& place) {
    StoreOptions options = place.options();
    auto store = std::make_unique<SessionStore>(options);
    SessionOptions trust;
    trust.trust = true;
    Session session(gpt2(), trust);
    session.begin_part(1);
    const std::string plain = words(4000, 8);
    session.append(plain);
    session.append_untrusted("caf\xC3\xA9 <|endoftext|>" + words(5000, 9));
    session.begin_part(7);
    session.append("<|endoftext|>");
    session.append_sampled(std::vector<TokenId>{32, 32, 50256, 100, 247});
    session.begin_part(8);
    session.append_sampled(std::vector<TokenId>{1, 2, 3});
    session.append(" so");
    store->put("parts", session);
    for (int round = 0; round < 2; ++round) {
      auto again = store->get("parts", gpt2(), trust);
      REQUIRE(again);
      CHECK(again->text() == session.text());
      CHECK(again->snapshot() == session.snapshot());
      CHECK(again->part_ranges() == session.part_ranges());
      // The label goes on, and the ids do.
      Session twin = session.fork();
      for (Session* each : {&twin, &*again}) {
        each->append(" on");
        each->edit(10, 30, "elsewhere");
        each->append_sampled(std::vector<TokenId>{5});
      }
      CHECK(again->snapshot() == twin.snapshot());
      CHECK(again->part_ranges() == twin.part_ranges());
      // Only what is trusted text from the begin on is found by content.
      const auto found = store->find(session.text(), gpt2(), trust);
      REQUIRE(found);
      CHECK(found->bytes == plain.size());
      CHECK(found->session.snapshot() == cold(gpt2(), plain));
      store->put("twin", *again);
      if (place.in_file) store = std::make_unique<SessionStore>(options);
    }
  });
}

TEST_CASE("records go when they were not used for long") {
  both([](Place& place) {
    StoreOptions options = place.options();
    options.ttl = std::chrono::milliseconds(100);
    SessionStore store(options);
    const std::string text = words(3000, 10);
    store.put("kept", session_of(text));
    store.put("left", session_of("left"));
    place.now += 60;
    CHECK(is(store.get("kept", gpt2()), text));
    place.now += 39;
    CHECK(is(store.get("left", gpt2()), "left"));
    place.now += 60;  // kept: 99 ago
    CHECK(store.find(text, gpt2()));
    place.now += 99;
    CHECK(store.list().size() == 1);
    CHECK(is(store.get("kept", gpt2()), text));
    CHECK(!store.get("left", gpt2()));
    CHECK(!store.get("never", gpt2()));
    place.now += 100;
    CHECK(!store.find(text, gpt2()));
    CHECK(!store.get("kept", gpt2()));
    const StoreCounters counters = store.counters();
    CHECK(counters.expired == 2);
    CHECK(counters.absent == 2);
    CHECK(counters.records_expired == 2);
    CHECK(counters.entries == 0);
    CHECK(counters.bytes == 0);
    // A clock that was set back keeps records.
    store.put("again", session_of("again"));
    place.now -= 900;
    CHECK(is(store.get("again", gpt2()), "again"));
  });
}

TEST_CASE("the least recently used go first, shared blocks are counted once") {
  both([](Place& place) {
    std::uint64_t one = 0, fork = 0;
    {
      Place other(place.in_file);
      SessionStore probe(other.options());
      const Session session = session_of(words(20000, 11));
      probe.put("one", session);
      one = probe.counters().bytes;
      probe.put("fork", session.fork());
      fork = probe.counters().bytes - one;
    }
    CHECK(one > 40000);
    CHECK(fork * 20 < one);
    StoreOptions options = place.options();
    options.budget_bytes = 3 * one + one / 2;
    SessionStore store(options);
    const auto text = [](int i) { return words(20000, 11 + static_cast<std::size_t>(i)); };
    const auto put = [&](int i) { return store.put(std::to_string(i), session_of(text(i))); };
    CHECK(put(0));
    CHECK(put(1));
    CHECK(put(2));
    CHECK(is(store.get("0", gpt2()), text(0)));
    CHECK(store.find(text(1), gpt2()));
    CHECK(put(3));  // 2 is the oldest
    CHECK(!store.get("2", gpt2()));
    CHECK(is(store.get("1", gpt2()), text(1)));
    CHECK(put(4));
    CHECK(!store.get("0", gpt2()));
    CHECK(is(store.get("3", gpt2()), text(3)));
    CHECK(is(store.get("1", gpt2()), text(1)));
    CHECK(store.counters().entries == 3);
    CHECK(store.counters().bytes <= options.budget_bytes);
    CHECK(store.counters().evicted == 2);
    CHECK(store.counters().records_evicted == 2);
    // One that alone is too large is not kept, and what had its name is gone too.
    CHECK(!store.put("1", session_of(words(90000, 20))));
    CHECK(!store.get("1", gpt2()));
    CHECK(is(store.get("3", gpt2()), text(3)));
    // Forks cost little.
    Session session = session_of(text(5));
    for (int i = 0; i < 10; ++i) CHECK(store.put("fork " + std::to_string(i), session.fork()));
    CHECK(store.counters().entries == 12);
    for (const StoredSession& each : store.list()) CHECK(store.drop(each.name));
    CHECK(store.counters().bytes == 0);
  });
}

TEST_CASE("with no budget nothing is kept") {
  both([](Place& place) {
    {
      SessionStore store(place.options());
      store.put("before", session_of("before"));
    }
    StoreOptions options = place.options();
    options.budget_bytes = 0;
    SessionStore store(options);
    CHECK(!store.put("chat", session_of("text")));
    CHECK(!store.get("chat", gpt2()));
    CHECK(store.counters().evicted == 1);
    store.trim();
    CHECK(!store.get("before", gpt2()));
    CHECK(store.counters().entries == 0);
    CHECK(store.counters().bytes == 0);
  });
}

TEST_CASE("what is dropped is gone; sessions without text are refused") {
  both([](Place& place) {
    SessionStore store(place.options());
    store.put("b", session_of("text of b"));
    store.put("a", session_of("a"));
    const auto list = store.list();
    REQUIRE(list.size() == 2);
    CHECK(list[0].name == "a");
    CHECK(list[1].bytes == 9);
    CHECK(list[1].tokens == 3);
    CHECK(list[1].used == 1000);
    CHECK(list[1].fingerprint == gpt2().info().fingerprint);
    CHECK(list[1].options == "special=default");
    CHECK(store.drop("b"));
    CHECK(!store.drop("b"));
    CHECK(!store.get("b", gpt2()));
    CHECK(store.counters().absent == 1);
    SessionOptions textless;
    textless.keep_text = false;
    CHECK(error_of([&] { store.put("c", Session(gpt2(), textless)); }).starts_with("usage: "));
    CHECK(error_of([&] { store.get("a", gpt2(), textless); }).starts_with("usage: "));
    CHECK(error_of([&] { store.find("a", gpt2(), textless); }).starts_with("usage: "));
  });
}

TEST_CASE("random work of many names leaves what a map would hold") {
  both([](Place& place) {
    StoreOptions options = place.options();
    auto store = std::make_unique<SessionStore>(options);
    std::map<std::string, std::string> kept;
    std::vector<Session> live;
    live.emplace_back(gpt2());
    std::mt19937 random(12);
    const auto some = [&](std::size_t most) { return random() % (most + 1); };
    int finds = 0;
    for (int i = 0; i < 600; ++i) {
      Session& session = live[some(live.size() - 1)];
      const std::string name = std::to_string(some(9));
      const std::string text = session.text();
      const auto border = [&](std::size_t at) {
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
        return at;
      };
      switch (some(8)) {
        case 0:
        case 1:
          session.append(words(some(3000), random()));
          break;
        case 2: {
          const std::size_t begin = border(some(text.size()));
          session.edit(begin, border(std::min(text.size(), begin + some(500))),
                       words(some(100), random()));
          break;
        }
        case 3:
          session.rewind(border(some(text.size())));
          break;
        case 4:
          if (live.size() < 8) live.push_back(session.fork());
          break;
        case 5:
        case 6:
          store->put(name, session);
          kept[name] = text;
          break;
        case 7: {
          auto got = store->get(name, gpt2());
          CHECK(got.has_value() == kept.contains(name));
          if (!got) break;
          CHECK(is(got, kept[name]));
          if (live.size() < 8)
            live.push_back(std::move(*got));
          else
            live[some(7)] = std::move(*got);
          break;
        }
        case 8: {
          const auto found = store->find(text, gpt2());
          if (!found) break;
          ++finds;
          CHECK(found->session.text() == text.substr(0, found->bytes));
          CHECK(found->session.snapshot() == cold(gpt2(), found->session.text()));
          break;
        }
      }
      if (random() % 50 == 0) {
        store->drop(name);
        kept.erase(name);
      }
      if (place.in_file && random() % 60 == 0) {
        store.reset();
        store = std::make_unique<SessionStore>(options);
      }
    }
    CHECK(finds > 20);
    for (const auto& [name, text] : kept) CHECK(is(store->get(name, gpt2()), text));
    CHECK(store->counters().entries == kept.size());
    CHECK(store->counters().corrupt == 0);
  });
}

TEST_CASE("many threads share a store") {
  both([](Place& place) {
    StoreOptions options = place.options();
    options.budget_bytes = 2000000;
    SessionStore store(options);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        Session session(gpt2());
        std::string text;
        for (int i = 0; i < 60; ++i) {
          const std::string more = words(random() % 300, random());
          text += more;
          session.append(more);
          const std::string name = std::to_string(random() % 4);
          store.put(name, session);
          auto got = store.get(std::to_string(random() % 4), gpt2());
          if (got) {
            if (got->snapshot() != cold(gpt2(), got->text())) ++wrong;
            if (random() % 4 == 0) {
              session = std::move(*got);
              text = session.text();
            }
          }
          const auto found = store.find(text, gpt2());
          if (found && found->session.text() != text.substr(0, found->bytes)) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(store.counters().puts == 240);
    CHECK(store.counters().hits > 0);
    CHECK(store.counters().corrupt == 0);
  });
}
