// Streams over real tokenizer files: faults that users of other engines have met.

#include "decode/decoder.hpp"
#include "toktier/error.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

namespace {

using namespace toktier;
using decode::Decoder;
using decode::Stream;

std::string shared_file(const std::string& name) {
  const char* shared = std::getenv("TOKTIER_SHARED");
  const char* source = std::getenv("TOKTIER_SOURCE_DIR");
  std::filesystem::path base = shared != nullptr ? shared : "";
  if (base.empty() && source != nullptr) base = std::filesystem::path(source) / ".." / "shared";
  return (base / "tokenizers" / name).string();
}

struct File {
  model::TokenizerSpec spec;
  Decoder decoder;
};

/// nullopt, with a visible line, when the file is not there.
std::optional<File> open_file(const std::string& name) {
  if (!std::filesystem::exists(shared_file(name))) {
    MESSAGE("skipped: 1 (no shared file " << name << ")");
    return std::nullopt;
  }
  model::TokenizerSpec spec = model::load(shared_file(name));
  Decoder decoder = Decoder::compile(spec, added::AddedTable::build(spec, {}));
  return File{std::move(spec), std::move(decoder)};
}

}  // namespace

TEST_CASE("two characters over four tokens") {
  const auto file = open_file("qwen2/tokenizer.json.zst");
  if (!file) return;
  const std::vector<TokenId> ids{32, 13, 66521, 243, 28291};
  const std::string expected = "A. \xE5\x8D\x95\xE5\x8F\x91";
  CHECK(file->decoder.decode(ids) == expected);
  Stream stream(file->decoder);
  std::string joined;
  for (const TokenId id : ids) joined += stream.push(id);
  CHECK(joined == expected);
  CHECK(stream.finish().empty());
}

TEST_CASE("unused ids are errors that name the id") {
  const auto file = open_file("tiktoken-cl100k_base/cl100k_base.tiktoken.zst");
  if (!file) return;
  for (TokenId id = 100256; id <= 100280; ++id) {
    const bool used = (id >= 100257 && id <= 100260) || id == 100276;
    CHECK(file->decoder.has(id) == used);
    if (used) continue;
    std::string message;
    try {
      file->decoder.decode(std::vector<TokenId>{id});
    } catch (const Error& error) {
      message = error.what();
      CHECK(error.code() == ErrorCode::input);
    }
    CHECK(message.find(std::to_string(id)) != std::string::npos);
  }
}

TEST_CASE("a prompt may end inside a character: only new text comes, and it is whole") {
  const auto file = open_file("tiktoken-cl100k_base/cl100k_base.tiktoken.zst");
  if (!file) return;
  const std::string prompt = "Hello world ";
  const std::string character = "\xF0\x9F\x8C\xB6";
  for (std::size_t cut = 0; cut <= 4; ++cut) {
    Stream stream(file->decoder, {false, {}, true});
    const auto push = [&](std::string_view bytes) {
      std::string out;
      for (const char c : bytes) out += stream.push(file->spec.vocab.find(std::string_view(&c, 1)));
      return out;
    };
    CHECK(push(prompt + character.substr(0, cut)) == (cut == 4 ? prompt + character : prompt));
    CHECK(push(character.substr(cut) + " hot") == (cut == 4 ? " hot" : character + " hot"));
    CHECK(push("\xFF"
               "more text") == "\xEF\xBF\xBDmore text");
    CHECK(push(character.substr(0, cut)) == (cut == 4 ? character : ""));
    CHECK(stream.finish() == (cut == 4 || cut == 0 ? "" : "\xEF\xBF\xBD"));
  }
}

TEST_CASE("random ids: the stream equals the batch") {
  std::size_t failures = 0, lists = 0;
  for (const char* name :
       {"tiktoken-o200k_base/o200k_base.tiktoken.zst", "qwen3/tokenizer.json.zst",
        "llama2/tokenizer.json.zst", "llama2/tokenizer.model.zst", "nmt-marian/vocab.joint.spm.zst",
        "bert-base-uncased/tokenizer.json.zst"}) {
    const auto file = open_file(name);
    if (!file) continue;
    std::mt19937_64 random(9);
    for (const bool skip : {false, true}) {
      std::vector<TokenId> ids;
      while (ids.size() < 5000) {
        const auto id = static_cast<TokenId>(random() % file->decoder.end_id());
        if (file->decoder.has(id)) ids.push_back(id);
      }
      Stream stream(file->decoder, {skip, {}, false});
      std::string joined;
      for (const TokenId id : ids) joined += stream.push(id);
      joined += stream.finish();
      ++lists;
      if (joined != file->decoder.decode(ids, {skip, {}, false})) ++failures;
    }
  }
  MESSAGE("lists of 5000 ids: " << lists);
  CHECK(failures == 0);
}
