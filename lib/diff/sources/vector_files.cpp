#include "diff/sources/vector_files.hpp"

#include "io/read_all.hpp"
#include "toktier/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

namespace toktier::diff::sources {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_texts(const std::string& path) {
  static constexpr std::string_view kSeparator = "\n__ggml_vocab_test__\n";
  const std::string bytes = io::read_all(path);
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = bytes.find(kSeparator, at);
    if (end == std::string::npos) break;
    texts.push_back(bytes.substr(at, end - at));
    at = end + kSeparator.size();
  }
  if (at < bytes.size()) texts.push_back(bytes.substr(at));  // no separator at the end
  return texts;
}

std::vector<std::vector<TokenId>> read_ids(const std::string& path) {
  const std::string bytes = io::read_all(path);
  std::vector<std::vector<TokenId>> lists;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    std::vector<TokenId> ids;
    for (const char* p = bytes.data() + at; p < bytes.data() + end;) {
      if (*p == ' ') {
        ++p;
        continue;
      }
      TokenId id = 0;
      const auto [next, code] = std::from_chars(p, bytes.data() + end, id);
      if (code != std::errc()) {
        throw Error(ErrorCode::input, fmt::format("line {}: not a list of ids", lists.size() + 1),
                    path);
      }
      ids.push_back(id);
      p = next;
    }
    lists.push_back(std::move(ids));
    at = end + 1;
  }
  return lists;
}

}  // namespace

std::vector<VectorSet> read_vectors(const std::string& folder) {
  static constexpr std::string_view kIn = ".gguf.inp", kOut = ".gguf.out";
  std::map<std::string, std::string> inputs, outputs;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".zst")) name.resize(name.size() - 4);
    if (name.ends_with(kIn))
      inputs[name.substr(0, name.size() - kIn.size())] = entry.path().string();
    if (name.ends_with(kOut))
      outputs[name.substr(0, name.size() - kOut.size())] = entry.path().string();
  }
  if (code) throw Error(ErrorCode::input, "cannot read the folder: " + code.message(), folder);
  if (inputs.empty() || outputs.empty())
    throw Error(ErrorCode::input, "no vector files (.gguf.inp, .gguf.out)", folder);
  std::vector<VectorSet> sets;
  for (const auto& [name, path] : outputs) {
    const auto own = inputs.find(name);
    const std::string& input = own != inputs.end() ? own->second : inputs.begin()->second;
    const auto texts = read_texts(input);
    auto lists = read_ids(path);
    if (texts.size() != lists.size()) {
      throw Error(
          ErrorCode::input,
          fmt::format("{} lists of ids, but {} texts in {}", lists.size(), texts.size(), input),
          path);
    }
    VectorSet set{name, path, {}};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Document document;
      document.text = texts[i];
      document.id = fmt::format("{} text {}", name, i + 1);
      document.origin = path;
      document.quoted = std::move(lists[i]);
      document.has_quoted = true;
      set.documents.push_back(std::move(document));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace toktier::diff::sources
