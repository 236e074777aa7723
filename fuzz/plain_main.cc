// Runs a fuzz target on files and on all files of folders. Fails when nothing was run.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

bool run_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  if (std::filesystem::file_size(path) > 0) contents << file.rdbuf();
  const std::string bytes = contents.str();
  if (!file || !contents) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  std::fprintf(stderr, "%s (%zu bytes)\n", path.c_str(), bytes.size());
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t done = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
        if (!entry.is_regular_file()) continue;
        if (!run_file(entry.path())) return 1;
        ++done;
      }
    } else {
      if (!run_file(argv[i])) return 1;
      ++done;
    }
  }
  std::fprintf(stderr, "%zu inputs done\n", done);
  return done == 0 ? 1 : 0;
}
