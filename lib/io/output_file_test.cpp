#include "io/output_file.hpp"

#include "io/read_all.hpp"
#include "io/testing/scratch.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

using namespace toktier;      // NOLINT(google-build-using-namespace)
using namespace toktier::io;  // NOLINT(google-build-using-namespace)
using toktier::io::testing::ScratchFolder;

namespace {
std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}
}  // namespace

TEST_CASE("a file appears whole at commit, or not at all") {
  const ScratchFolder folder;
  const std::string path = folder.write("d/out.txt", "old");
  ::chmod(path.c_str(), 0640);
  const std::string big(3'000'000, 'x');
  {
    OutputFile file(path);
    file.write(big);
    CHECK(read_all(path) == "old");
  }
  CHECK(read_all(path) == "old");
  CHECK(files_in(folder.path("d")) == 1);
  {
    OutputFile file(path);
    file.write("a");
    file.write(big);
    file.commit();
    CHECK(file.bytes() == big.size() + 1);
    CHECK_THROWS_AS(file.write("b"), Error);
  }
  CHECK(read_all(path) == "a" + big);
  CHECK(files_in(folder.path("d")) == 1);
  struct stat info {};
  ::stat(path.c_str(), &info);
  CHECK((info.st_mode & 07777U) == 0640);
}

TEST_CASE("a name ending in .zst is packed; a link is written through") {
  const ScratchFolder folder;
  const std::string path = folder.path("out.jsonl.zst");
  std::string text;
  OutputFile file(path);
  for (int i = 0; i < 200000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    text += line;
    file.write(line);
    if (i == 500) file.flush();
  }
  file.commit();
  CHECK(read_all(path) == text);
  CHECK(std::filesystem::file_size(path) < text.size() / 2);
  const std::string target = folder.write("real", "old");
  std::filesystem::create_symlink(target, folder.path("link"));
  OutputFile linked(folder.path("link"));
  linked.write("new");
  linked.commit();
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(read_all(target) == "new");
}

TEST_CASE("full disk, missing folder and folder as target are clear errors") {
  if (!std::filesystem::exists("/dev/full")) {
    MESSAGE("skipped: 1 (no /dev/full)");
  } else {
    OutputFile full("/dev/full");
    full.write("x");
    CHECK_THROWS_WITH_AS(full.commit(), doctest::Contains("No space left"), Error);
  }
  const ScratchFolder folder;
  CHECK_THROWS_WITH_AS(OutputFile(folder.path("none/out")), doctest::Contains("No such file"),
                       Error);
  CHECK_THROWS_WITH_AS(OutputFile(folder.path("")), doctest::Contains("directory"), Error);
  OutputFile null("/dev/null");
  null.write("x");
  null.commit();
  CHECK(std::filesystem::is_character_file("/dev/null"));
}
