// Losses of power: what is answered for has been synced, in whatever order the disk has written the
// rest. On a disk that says it has synced and has not, records must be seen to be lost.

#include "store/testing/lossy_disk.hpp"
#include "store/testing/worlds.hpp"
#include "toktier/store.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <map>
#include <optional>

namespace {

using namespace toktier;
using namespace toktier::store::testing;

using Records = std::map<std::string, std::string>;

// A moment: the files, what was answered for, and what it becomes if the call under way is done.
struct Moment {
  std::map<std::string, LossyDisk::File> files;
  Records before, after;
};

struct Tally {
  int moments = 0, images = 0, records = 0, lost = 0, wrong = 0, refused = 0;
};

// Random work; moments are taken in the middle of writes.
std::vector<Moment> work(const std::string& path, std::uint32_t seed) {
  std::vector<Moment> moments;
  std::mt19937 random(seed);
  Records before, after;
  LossyDisk& disk = LossyDisk::instance();
  int left = 0;
  disk.before_write = [&] {
    if (left-- > 0) return;
    left = static_cast<int>(random() % 60);
    moments.push_back({disk.files, before, after});
  };
  StoreOptions options;
  options.path = path;
  SessionStore store(options);
  std::vector<Session> sessions;
  for (int i = 0; i < 3; ++i) sessions.emplace_back(gpt2());
  for (int i = 0; i < 60; ++i) {
    Session& session = sessions[random() % sessions.size()];
    if (session.bytes() > 60000) session.rewind(0);
    session.append(words(random() % 2500, random()));
    if (random() % 5 == 0) sessions[0] = session.fork();
    const std::string name = std::to_string(random() % 5);
    if (random() % 8 == 0) {
      after.erase(name);
      store.drop(name);
    } else {
      after[name] = session.text();
      store.put(name, session);
    }
    before = after;
    moments.push_back({disk.files, before, after});
  }
  return moments;
}

Tally look(const std::vector<Moment>& moments, const std::string& path, std::uint32_t seed) {
  Tally tally;
  std::mt19937 random(seed);
  const Folder folder(true);
  for (const Moment& moment : moments) {
    ++tally.moments;
    for (int k = 0; k < 2; ++k) {
      ++tally.images;
      const std::string image = folder.file(fmt::format("{}-{}.db", tally.moments, k));
      for (const auto& [name, file] : moment.files)
        write_file(image + name.substr(path.size()), file.image(random));
      try {
        StoreOptions options;
        options.path = image;
        SessionStore store(options);
        Records all = moment.before;
        all.insert(moment.after.begin(), moment.after.end());
        for (const auto& [name, text] : all) {
          ++tally.records;
          const auto got = store.get(name, gpt2());
          const auto as_in = [&](const Records& records) {
            const auto at = records.find(name);
            return at == records.end() ? !got : got && got->text() == at->second;
          };
          if (!as_in(moment.before) && !as_in(moment.after)) ++tally.lost;
          if (got && got->snapshot() != cold(gpt2(), got->text())) ++tally.wrong;
        }
      } catch (const Error&) {
        ++tally.refused;
      }
      for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(image + end);
    }
  }
  fmt::print(
      "losses of power: {} moments, {} images, {} records looked at, {} lost, {} wrong, {} "
      "refused\n",
      tally.moments, tally.images, tally.records, tally.lost, tally.wrong, tally.refused);
  return tally;
}

}  // namespace

TEST_CASE("what is answered for survives a loss of power") {
  for (const bool lies : {false, true}) {
    const Folder folder(true);
    const std::string path = folder.file("store.db");
    std::vector<Moment> moments;
    {
      const LossyDisk::Use use;
      LossyDisk::instance().lies = lies;
      moments = work(path, 1);
    }
    CHECK(moments.size() > 60);
    const Tally tally = look(moments, path, 2);
    CHECK(tally.wrong == 0);
    if (lies) {
      CHECK(tally.lost + tally.refused > 10);
    } else {
      CHECK(tally.lost == 0);
      CHECK(tally.refused == 0);
      CHECK(tally.records > 500);
    }
  }
}
