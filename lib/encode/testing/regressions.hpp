#pragma once
// For tests: the files of corpora/regressions, each a fault that was found, with its tokenizer.

#include "toktier/tokenizer.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace toktier::testing {

struct Regression {
  std::string name, id;  // the file's name without .json; what it says itself
  Tokenizer tokenizer;
  EncodeOptions options;
  std::string text;
  std::vector<TokenId> ids;                // of the reference
  std::optional<std::vector<Span>> spans;  // absent where the engine's run past the text
};

inline std::vector<std::filesystem::path> regression_files() {
  const char* root = std::getenv("TOKTIER_SOURCE_DIR");
  if (root == nullptr) throw std::runtime_error("TOKTIER_SOURCE_DIR names the source tree");
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(root) / "corpora/regressions"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline Regression read_regression(const std::filesystem::path& file) {
  simdjson::dom::parser parser;
  const simdjson::dom::element record = parser.load(file.string());
  const simdjson::dom::element model = record["tokenizer"];
  Regression out{file.stem().string(),
                 std::string(std::string_view(record["id"])),
                 model.is_string()
                     ? Tokenizer::load(std::string(std::string_view(model)))
                     : Tokenizer::load_bytes(simdjson::minify(model), file.filename().string()),
                 {},
                 std::string(std::string_view(record["text"])),
                 {},
                 std::nullopt};
  simdjson::dom::element given;
  if (record["options"].get(given) == simdjson::SUCCESS) {
    std::string_view special;
    if (given["special"].get(special) == simdjson::SUCCESS)
      out.options.special = special == "none" ? SpecialMode::none : SpecialMode::all;
    bool add = false;
    if (given["add_special"].get(add) == simdjson::SUCCESS) out.options.add_special = add;
  }
  for (const simdjson::dom::element id : record["ids"].get_array())
    out.ids.push_back(static_cast<TokenId>(std::uint64_t(id)));
  simdjson::dom::array listed;
  if (record["spans"].get(listed) == simdjson::SUCCESS) {
    out.spans.emplace();
    for (const simdjson::dom::element span : listed) {
      out.spans->push_back({static_cast<std::uint32_t>(std::uint64_t(span.at(0))),
                            static_cast<std::uint32_t>(std::uint64_t(span.at(1)))});
    }
  }
  return out;
}

}  // namespace toktier::testing
