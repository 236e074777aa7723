#pragma once
// For tests: short texts that tokenizers tend to get wrong. The same on every machine.

#include "model/spec.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::diff::testing {

/// Stretches that tokenizers treat specially: blanks of all kinds, contractions, digits, scripts
/// without blanks, combining marks, emoji sequences, bytes of control, characters of no vocabulary.
inline const std::vector<std::string>& nasty_fragments() {
  static const std::vector<std::string> fragments = {
      " ",
      "  ",
      "   ",
      "\n",
      "\r\n",
      "\n\n\n",
      "\t",
      "\xC2\xA0",
      "\xE3\x80\x80",
      "\xE2\x80\x89",
      "\xC2\x85",
      "\xE2\x80\x8B",
      "\xE2\x80\xA8",
      "\xEF\xBB\xBF",
      "\x0B",
      "\x0C",
      "\x1C",
      "\x01",
      std::string(1, '\0'),
      "\x7F",
      "a",
      "the",
      "The",
      "HELLO",
      "hello",
      "Hello world",
      "don't",
      "I'LL",
      "we\xE2\x80\x99re",
      "'s",
      "'S",
      "x'\xC5\xBF",
      "it's 's",
      "1",
      "12",
      "123",
      "1234",
      "12345678901",
      "3.14",
      "1,000",
      "\xC2\xBD",
      "\xE2\x85\xA3",
      "\xD9\xA3\xD9\xA4",
      "\xE0\xA5\xA7",
      "\xEF\xBC\x91\xEF\xBC\x92",
      "\xF0\x9D\x9F\x99",
      "foo_bar",
      "camelCaseWord",
      "HTTPServer",
      "()",
      "!!!",
      "...",
      "--",
      "====",
      "{\"a\": [1, 2]}",
      "#include <x>",
      "a/b\\c",
      "https://ex.org/?q=1",
      "e@mail.org",
      "\xE4\xBD\xA0\xE5\xA5\xBD",
      "\xE4\xB8\x96\xE7\x95\x8C\xE6\xB1\x89\xE5\xAD\x97",
      "\xE3\x81\x93\xE3\x82\x93\xE3\x81\xAB\xE3\x81\xA1\xE3\x81\xAF",
      "\xE3\x82\xAB\xE3\x83\xBC",
      "\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4",
      "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB",
      "\xE0\xB8\xAA\xE0\xB8\xA7\xE0\xB8\xB1\xE0\xB8\xAA",
      "\xE0\xA4\xA8\xE0\xA4\xAE\xE0\xA4\xB8\xE0\xA5\x8D",
      "\xD8\xA7\xD9\x84\xD8\xB9\xD8\xB1",
      "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",
      "\xD0\x9F\xD1\x80\xD0\xB8",
      "\xCE\xA3\xCE\xAF\xCF\x83\xCF\x85",
      "\xC4\xB0stanbul",
      "na\xC3\xAFve",
      "cafe\xCC\x81",
      "e\xCC\x81\xCC\xA7",
      "\xCC\x81",
      "\xC3\x85\xE2\x84\xAB",
      "\xEF\xAC\x81x",
      "\xC3\x9F",
      "\xE1\xBA\x9E",
      "\xF0\x9F\x98\x80",
      "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
      "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA",
      "\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD",
      "\xE2\x9D\xA4\xEF\xB8\x8F",
      "\xE2\x96\x81",
      "\xE2\x96\x81the",
      "\xC4\xA0the",
      "<0x0A>",
      "<unk>",
      "<s>",
      "</s>",
      "[UNK]",
      "##ing",
      "\xF0\xA0\x80\x80",
      "\xF3\xA0\x84\x80",
      "\xEF\xBF\xBD",
      "\xF4\x8F\xBF\xBF",
      "\xEE\x80\x80",
      "\xCD\xB8",
      "aaaaaaaaaaaa",
      "zqxjkv",
      "\xE1\x8E\xA0",
      "\xF0\x90\x90\x80",
      "\xF0\x9E\xA4\x80",
      "\xD8\x80",
      "\xE2\x80\x8F"};
  return fragments;
}

/// Stretches of the committed texts, at most 90 bytes, one for about every `every` bytes.
inline std::vector<std::string> curated_stretches(const std::filesystem::path& folder,
                                                  std::size_t every) {
  std::vector<std::string> out;
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto border = [&](std::size_t at) {
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
      return std::min(at, text.size());
    };
    for (std::size_t at = 0; at < text.size(); at += every) {
      const std::size_t begin = border(at);
      std::string part = text.substr(begin, border(begin + 80) - begin);
      if (!unicode::find_invalid_utf8(part)) out.push_back(std::move(part));
    }
  }
  return out;
}

/// Random mixes of the fragments and of the file's added tokens.
inline std::vector<std::string> nasty_mixes(const model::TokenizerSpec& spec, std::size_t count,
                                            std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<std::string>& fragments = nasty_fragments();
  std::vector<std::string> out = fragments;
  out.emplace_back();
  while (out.size() < fragments.size() + 1 + count) {
    std::string text;
    const bool tokens = !spec.added_tokens.empty() && random() % 3 == 0;
    for (auto n = 1 + random() % 6; n > 0; --n) {
      if (tokens && random() % 2 == 0) {
        const std::string& content = spec.added_tokens[random() % spec.added_tokens.size()].content;
        text += random() % 8 == 0 ? content.substr(0, content.size() / 2) : content;
      } else {
        text += fragments[random() % fragments.size()];
      }
      if (random() % 4 == 0) text += ' ';
    }
    if (!unicode::find_invalid_utf8(text)) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace toktier::diff::testing
