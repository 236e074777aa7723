// Every fault found so far, with its smallest input: corpora/regressions.

#include "toktier/tokenizer.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace toktier;

namespace {

std::vector<std::filesystem::path> regression_files() {
  const char* root = std::getenv("TOKTIER_SOURCE_DIR");
  REQUIRE_MESSAGE(root != nullptr, "TOKTIER_SOURCE_DIR names the source tree");
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(root) / "corpora/regressions"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void run(const std::filesystem::path& file) {
  simdjson::dom::parser parser;
  const simdjson::dom::element record = parser.load(file.string());
  CAPTURE(file.filename().string());
  CHECK(file.stem() == std::string(std::string_view(record["id"])));
  const simdjson::dom::element model = record["tokenizer"];
  const Tokenizer tokenizer =
      model.is_string() ? Tokenizer::load(std::string(std::string_view(model)))
                        : Tokenizer::load_bytes(simdjson::minify(model), file.filename().string());
  EncodeOptions options;
  options.want_spans = true;
  simdjson::dom::element given;
  if (record["options"].get(given) == simdjson::SUCCESS) {
    std::string_view special;
    if (given["special"].get(special) == simdjson::SUCCESS)
      options.special = special == "none" ? SpecialMode::none : SpecialMode::all;
    bool add = false;
    if (given["add_special"].get(add) == simdjson::SUCCESS) options.add_special = add;
  }
  const std::string text{std::string_view(record["text"])};
  const Encoding got = tokenizer.encode(text, options);
  std::vector<TokenId> ids;
  for (const simdjson::dom::element id : record["ids"].get_array())
    ids.push_back(static_cast<TokenId>(std::uint64_t(id)));
  std::vector<Span> spans;
  simdjson::dom::array listed;
  const bool has_spans = record["spans"].get(listed) == simdjson::SUCCESS;
  if (has_spans)
    for (const simdjson::dom::element span : listed) {
      spans.push_back({static_cast<std::uint32_t>(std::uint64_t(span.at(0))),
                       static_cast<std::uint32_t>(std::uint64_t(span.at(1)))});
    }
  CHECK(got.ids == ids);
  if (has_spans) CHECK(got.spans == spans);
  // The path that builds no spans is another one.
  options.want_spans = false;
  CHECK(tokenizer.encode(text, options).ids == ids);
  CHECK(tokenizer.count(text, options) == ids.size());
}

}  // namespace

TEST_CASE("every regression holds") {
  const auto files = regression_files();
  for (const auto& file : files) run(file);
  fmt::print("{} regressions\n", files.size());
  CHECK(files.size() >= 3);
}
