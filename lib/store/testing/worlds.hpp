#pragma once
// For tests of stores: tokenizers, texts, cold encodings, a folder that goes away, and a clock.

#include "toktier/error.hpp"
#include "toktier/store.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace toktier::store::testing {

inline const Tokenizer& gpt2() {
  static const Tokenizer tokenizer = Tokenizer::load("embedded");
  return tokenizer;
}

/// Another one, of a few entries.
inline const Tokenizer& tiny() {
  static const Tokenizer tokenizer = Tokenizer::load_bytes(
      R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,)"
      R"("pre_tokenizer":{"type":"Whitespace"},"post_processor":null,"decoder":null,)"
      R"("model":{"type":"WordLevel","vocab":{"[UNK]":0,"the":1,"code":2},"unk_token":"[UNK]"}})",
      "tiny.json");
  return tokenizer;
}

inline std::vector<TokenId> cold(const Tokenizer& tokenizer, const std::string& text,
                                 bool add_special = false) {
  EncodeOptions options;
  options.truncate = false;
  options.add_special = add_special;
  return tokenizer.encode(text, options).ids;
}

inline std::string words(std::size_t count, std::size_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  const char* const list[] = {"the",      " model", " writes",      " code",
                              "\n",       " 1234",  " don't",       "  ",
                              " x=y;",    "\t",     " caf\xC3\xA9", " \xE4\xBD\xA0\xE5\xA5\xBD",
                              "\n    if", " (a)",   " 99",          "'ll"};
  std::string text;
  while (count-- > 0) text += list[random() % std::size(list)];
  return text;
}

inline Session session_of(const std::string& text, const SessionOptions& options = {}) {
  Session session(gpt2(), options);
  session.append(text);
  return session;
}

class Folder {
 public:
  /// `in_memory`: where writing waits for no disk, when there is such a place.
  explicit Folder(bool in_memory = false) {
    std::error_code none;
    const bool there = in_memory && std::filesystem::is_directory("/dev/shm", none);
    const std::filesystem::path top =
        there ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    std::string pattern = (top / "toktier-store-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Where a test runs: in memory, or in a file.
struct Place {
  Folder folder;
  std::int64_t now = 1000;
  bool in_file = false;
  explicit Place(bool file) : in_file(file) {}
  StoreOptions options() {
    StoreOptions out;
    if (in_file) out.path = folder.file("store.db");
    out.clock = [this] { return now; };
    return out;
  }
};

template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    const char* const names[] = {"usage", "input", "unsupported", "unavailable", "internal"};
    return fmt::format("{}: {}", names[static_cast<int>(error.code())], error.what());
  }
  return "none";
}

}  // namespace toktier::store::testing
