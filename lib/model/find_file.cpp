#include "model/find_file.hpp"

#include "toktier/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace toktier::model {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kWholeNames = {"tokenizer.json", "tekken.json",
                                                         "vocab.txt"};
constexpr std::array<std::string_view, 3> kSuffixes = {".tiktoken", ".model", ".spm"};

// Names only choose which file of a directory to open; what the file is, its content says.
bool is_candidate(std::string_view name) {
  if (name.ends_with(".zst")) name.remove_suffix(4);
  return std::find(kWholeNames.begin(), kWholeNames.end(), name) != kWholeNames.end() ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](auto s) { return name.ends_with(s); });
}

std::string find_in_directory(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (is_candidate(name) && entry.is_regular_file(error)) found.push_back(entry.path().string());
  }
  if (error) throw Error(ErrorCode::input, "cannot list: " + error.message(), directory);
  std::sort(found.begin(), found.end());
  if (found.empty()) {
    throw Error(ErrorCode::unavailable,
                "the directory holds no tokenizer.json, tekken.json, vocab.txt, *.model, *.spm or "
                "*.tiktoken (plain or .zst)",
                directory);
  }
  if (found.size() > 1) {
    throw Error(ErrorCode::input,
                fmt::format("the directory holds several tokenizer files, name one: {}",
                            fmt::join(found, ", ")),
                directory);
  }
  return found.front();
}

std::vector<std::string> model_directories() {
  std::vector<std::string> out;
  const char* list = std::getenv("TOKTIER_MODELS");
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& directories) {
  std::string best;
  std::size_t best_distance = name.size() / 3 + 2;
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
      const std::string other = entry.path().filename().string();
      const std::size_t distance = other.size() > 256 ? best_distance : edit_distance(name, other);
      if (distance < best_distance ||
          (distance == best_distance && !best.empty() && other < best)) {
        best = other;
        best_distance = distance;
      }
    }
  }
  return best;
}

}  // namespace

std::string find_tokenizer_file(const std::string& path_or_name) {
  std::error_code error;
  if (path_or_name == "-") return path_or_name;
  const auto resolve = [&](const std::string& path) -> std::optional<std::string> {
    if (fs::is_directory(path, error)) return find_in_directory(path);
    if (fs::exists(path, error)) return path;
    return std::nullopt;
  };
  if (path_or_name.empty()) throw Error(ErrorCode::usage, "no tokenizer given");
  if (const auto path = resolve(path_or_name)) return *path;
  // A path that begins so is meant as it stands; "FAMILY/FILE" may be inside a directory of models.
  if (path_or_name.starts_with('/') || path_or_name.starts_with("./") ||
      path_or_name.starts_with("../")) {
    throw Error(ErrorCode::unavailable, "no such file or directory", path_or_name);
  }
  const std::vector<std::string> directories = model_directories();
  for (const std::string& directory : directories) {
    if (const auto path = resolve((fs::path(directory) / path_or_name).string())) return *path;
  }
  if (directories.empty()) {
    throw Error(ErrorCode::unavailable,
                "no such file, and TOKTIER_MODELS names no directories to look the name up in",
                path_or_name);
  }
  const std::string nearest = nearest_name(path_or_name, directories);
  throw Error(ErrorCode::unavailable,
              fmt::format("no such file, and no such name in TOKTIER_MODELS ({}){}",
                          fmt::join(directories, ", "),
                          nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)),
              path_or_name);
}

std::string find_lasting_tokenizer_file(const std::string& path_or_name) {
  if (path_or_name == "embedded") return path_or_name;
  const std::string path = find_tokenizer_file(path_or_name);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw Error(ErrorCode::input, "not a regular file; the tokenizer is read more than once here",
                path);
  }
  return path;
}

std::optional<std::string> find_side_file(const std::string& file) {
  if (file == "-") return std::nullopt;
  for (const char* name : {"encoding.json", "encoding.json.zst"}) {
    const fs::path path = fs::path(file).parent_path() / name;
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path.string();
  }
  return std::nullopt;
}

}  // namespace toktier::model
