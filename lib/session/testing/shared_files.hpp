#pragma once
// For tests: the shared tokenizer files, where they are.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace toktier::session::testing {

inline std::filesystem::path shared_folder() {
  const char* given = std::getenv("TOKTIER_SHARED");
  const char* source = std::getenv("TOKTIER_SOURCE_DIR");
  if (given != nullptr) return given;
  return source == nullptr ? std::filesystem::path()
                           : std::filesystem::path(source) / ".." / "shared";
}

/// Files of the manifest that a tokenizer can be loaded from, one for each distinct pipeline.
inline std::vector<std::string> distinct_files() {
  std::vector<std::string> out, seen;
  std::ifstream manifest(shared_folder() / "tokenizers" / "MANIFEST.tsv");
  std::string line;
  std::getline(manifest, line);
  while (std::getline(manifest, line)) {
    std::vector<std::string> field(1);
    for (const char c : line) {
      if (c == '\t')
        field.emplace_back();
      else
        field.back() += c;
    }
    if (field.size() < 13) continue;
    const std::string pipeline = field[6] + field[9] + field[10] + field[11] + field[12];
    if (field[6].empty() || std::find(seen.begin(), seen.end(), pipeline) != seen.end()) continue;
    seen.push_back(pipeline);
    out.push_back(field[1]);
  }
  return out;
}

}  // namespace toktier::session::testing
