// Every format on a small file of our own: what is read is written down and compared with
// replay/expected/. TOKTIER_UPDATE_EXPECTED=1 writes these files anew, to be looked at.

#include "io/read_all.hpp"
#include "replay/format_table.hpp"
#include "replay/neutral_writer.hpp"
#include "replay/read.hpp"
#include "replay/testing/dump.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace fs = std::filesystem;
using namespace toktier;

namespace {

fs::path source() {
  const char* root = std::getenv("TOKTIER_SOURCE_DIR");
  REQUIRE(root != nullptr);
  return fs::path(root) / "replay";
}

/// Files alone, and folders whose files are read one after the other.
std::vector<fs::path> fixtures() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(source() / "traces")) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  REQUIRE(all.size() > 40);
  return all;
}

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void read(const fs::path& path, replay::Sink& sink) {
  replay::TranscriptReader reader(sink, {});
  for (const fs::path& file : files_of(path)) reader.read(file.string());
  reader.finish();
}

}  // namespace

TEST_CASE("fixtures are read as expected") {
  const bool update = std::getenv("TOKTIER_UPDATE_EXPECTED") != nullptr;
  for (const fs::path& path : fixtures()) {
    replay::testing::DumpSink dump;
    read(path, dump);
    const fs::path expected = source() / "expected" / (path.filename().string() + ".txt");
    if (update) std::ofstream(expected) << dump.text();
    const std::string text = fs::exists(expected) ? io::read_all(expected.string()) : "(no file)";
    CHECK_MESSAGE(dump.text() == text, expected.string());
  }
}

TEST_CASE("every format has a fixture that only its row recognises") {
  std::set<std::string, std::less<>> seen;
  for (const fs::path& path : fixtures()) {
    for (const fs::path& file : files_of(path)) {
      const replay::Outline outline(io::read_all(file.string()));
      if (const replay::Format* format = replay::recognise(outline)) seen.emplace(format->name);
    }
  }
  for (const replay::Format& format : replay::format_table())
    CHECK_MESSAGE(seen.count(format.name) == 1, format.name);
}

TEST_CASE("our own form keeps everything") {
  std::size_t sessions = 0;
  for (const fs::path& path : fixtures()) {
    replay::testing::DumpSink first, second;
    read(path, first);
    std::string lines;
    replay::NeutralWriter writer([&lines](std::string_view line) { lines += line; });
    read(path, writer);
    if (lines.empty()) continue;
    replay::TranscriptReader reader(second, {});
    reader.read_bytes(lines, "memory");
    reader.finish();
    CHECK_MESSAGE(second.sessions() == first.sessions(), path.string());
    ++sessions;
  }
  CHECK(sessions > 40);
}

TEST_CASE("a format that is asked for reads whatever it is given") {
  for (const replay::Format& format : replay::format_table()) {
    for (const fs::path& path : fixtures()) {
      replay::testing::DumpSink dump;
      replay::ReadOptions options;
      options.format = format.name;
      replay::TranscriptReader reader(dump, options);
      for (const fs::path& file : files_of(path)) reader.read(file.string());
      reader.finish();
      CHECK(dump.text().find("file ") == 0);
    }
  }
}
