#pragma once
// Scratch folders and shared data for the tests of this room.

#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace toktier::io::testing {

/// A new empty folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "toktier-io-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file (folders made as needed) and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string pack(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

/// The shared data folder, if this machine has it.
inline std::optional<std::filesystem::path> shared_folder() {
  if (const char* path = std::getenv("TOKTIER_SHARED")) return path;
  if (const char* source = std::getenv("TOKTIER_SOURCE_DIR")) {
    const auto path = std::filesystem::path(source) / ".." / "shared";
    if (std::filesystem::exists(path)) return path;
  }
  return std::nullopt;
}

}  // namespace toktier::io::testing
