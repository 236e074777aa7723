// Finding files, and the verdict on every file of the shared collection.

#include "io/testing/scratch.hpp"
#include "model/embedded.hpp"
#include "model/find_file.hpp"
#include "model/spec.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <sys/stat.h>

using namespace toktier;         // NOLINT(google-build-using-namespace)
using namespace toktier::model;  // NOLINT(google-build-using-namespace)
namespace fs = std::filesystem;

namespace {

std::string error_of(const std::string& name) {
  try {
    (void)load(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "loaded";
}
bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const char* const kFile = R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]}})";

// Files of the collection that must be refused, with a part of the reason; every other file must
// load.
const std::map<std::string, std::string> kRefused = {
    {"bert-base-uncased/vocab.txt.zst", "without [UNK]"},
    {"claude/claude.tiktoken.zst", "encoding.json beside it"},
    {"gguf-", "GGUF"},
    {"kimi-k2/tokenizer_config.json.zst", "tokenizer_class: \"TikTokenTokenizer\""},
    {"llama2-invalid-merges/tokenizer.json.zst", "model.merges[18917]"},
    {"rwkv-world/rwkv_vocab_v20230424.txt.zst", "RWKV"},
};

}  // namespace

TEST_CASE("paths, directories and names") {
  const io::testing::ScratchFolder folder;
  folder.write("models/one/tokenizer.json", kFile);
  folder.write("models/one/notes.txt", "x");
  folder.write("models/two/tokenizer.json.zst", io::testing::pack(kFile));
  folder.write("models/two/vocab.txt", "[UNK]");
  folder.write("models/none/readme", "x");
  folder.write("misnamed.tiktoken", kFile);
  CHECK(load(folder.path("models/one")).path == folder.path("models/one/tokenizer.json"));
  CHECK(load(folder.path("models/two/tokenizer.json.zst")).vocab.size() == 1);
  CHECK(load(folder.path("misnamed.tiktoken")).kind == FileKind::tokenizer_json);
  const std::string several = error_of(folder.path("models/two"));
  CHECK(contains(several, "tokenizer.json.zst"));
  CHECK(contains(several, "vocab.txt"));
  CHECK(contains(error_of(folder.path("models/none")), "holds no"));
  CHECK(contains(error_of(folder.path("missing")), "no such file"));
  const char* before = std::getenv("TOKTIER_MODELS");
  const std::string saved = before == nullptr ? "" : before;
  ::unsetenv("TOKTIER_MODELS");
  CHECK(contains(error_of("one"), "TOKTIER_MODELS"));
  ::setenv("TOKTIER_MODELS", ("/nonexistent::" + folder.path("models")).c_str(), 1);
  CHECK(load("one").vocab.size() == 1);
  CHECK(load("two/tokenizer.json.zst").vocab.size() == 1);
  CHECK(contains(error_of("./one"), "no such file"));
  CHECK(contains(error_of("onne"), "one"));
  if (before != nullptr) ::setenv("TOKTIER_MODELS", saved.c_str(), 1);
  if (before == nullptr) ::unsetenv("TOKTIER_MODELS");
}

TEST_CASE("a tokenizer that is read more than once is a regular file") {
  const io::testing::ScratchFolder folder;
  const std::string file = folder.write("one/tokenizer.json", kFile);
  CHECK(find_lasting_tokenizer_file(file) == file);
  CHECK(find_lasting_tokenizer_file(folder.path("one")) == file);
  CHECK(find_lasting_tokenizer_file("embedded") == "embedded");
  // Opening it would wait for a writer.
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  for (const std::string& path :
       {folder.path("fifo"), std::string("-"), std::string("/dev/null")}) {
    CAPTURE(path);
    std::string message;
    try {
      (void)find_lasting_tokenizer_file(path);
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::input);
      message = error.what();
    }
    CHECK(contains(message, path + ": not a regular file"));
  }
  CHECK_THROWS_AS((void)find_lasting_tokenizer_file(folder.path("missing")), Error);
}

TEST_CASE("the embedded tokenizer loads and has the stated fingerprint") {
  const TokenizerSpec spec = load_bytes(embedded_gpt2(), "embedded");
  CHECK(spec.vocab.size() == 50257);
  CHECK(std::get<Bpe>(spec.model).merges.size() == 50000);
  CHECK(spec.fingerprint == kEmbeddedGpt2Sha256);
}

TEST_CASE("every file of the shared collection loads or is refused for the expected reason") {
  const auto shared = io::testing::shared_folder();
  if (!shared || !fs::exists(*shared / "tokenizers")) {
    MESSAGE("skipped: every tokenizer file (no shared data)");
    return;
  }
  std::size_t loaded = 0;
  std::size_t refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*shared / "tokenizers")) {
    const std::string name = fs::relative(entry.path(), *shared / "tokenizers").string();
    if (!name.ends_with(".zst") || contains(name, "encoding.json") || name.starts_with("vectors"))
      continue;
    const auto at = std::find_if(kRefused.begin(), kRefused.end(),
                                 [&](const auto& row) { return name.starts_with(row.first); });
    const std::string got = error_of(entry.path().string());
    CAPTURE(name);
    CAPTURE(got);
    if (at == kRefused.end()) {
      CHECK(got == "loaded");
      loaded += got == "loaded" ? 1 : 0;
    } else {
      CHECK(contains(got, at->second));
      ++refused;
    }
  }
  MESSAGE("loaded " << loaded << ", refused as expected " << refused);
  CHECK(loaded == 80);
  CHECK(refused == 16);
}
