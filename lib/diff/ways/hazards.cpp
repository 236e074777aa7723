#include "diff/ways/hazards.hpp"

#include "diff/ways/way_parts.hpp"
#include "encode/tokenizer_impl.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::diff::ways {
namespace {

constexpr std::string_view kHazards[] = {
    "1",
    "23",
    "456",
    "7890",
    "12345678901",  // digit groups
    "\xC2\xBD",
    "\xE2\x85\x93",
    "\xC2\xB2",
    "\xE0\xA5\xA7",  // fractions, a raised and a Hindi digit
    "\xE4\xB8\xAD",
    "\xE4\xB8\xAD\xE6\x96\x87",
    "\xE3\x80\x82",
    "\xEF\xBC\x8C",  // Han, its stops
    "\xE3\x82\xAB",
    "\xE3\x82\x99",
    "\xE3\x81\x8C",  // kana, a voice mark, both in one
    "\xE1\x84\x80",
    "\xE1\x85\xA1",
    "\xE1\x86\xA8",
    "\xEA\xB0\x80",  // Hangul in parts and whole
    "e",
    "\xCC\x81",
    "\xCC\xA3",
    "\xC3\xA9",
    "\xE1\xBA\xB9",  // marks and what they make
    "\xE0\xA4\x95\xE0\xA5\x8D",
    "\xE0\xB8\xB1",
    "\xD9\x8E",  // marks of other scripts
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\xC2\xA0",
    "\xE3\x80\x80",
    " \n",
    "\xE2\x80\x8B",
    "\xE2\x96\x81",
    "\xE2\x80\x8D",
    "\xEF\xB8\x8F",
    "\xF0\x9F\x98\x80",
    "'",
    "'s",
    "'l",
    "l",
    "'LL",
    "\xE2\x80\x99",
    "\xC5\xBF",
    "\xE2\x84\xAA",  // long s, kelvin
    "a",
    "Z",
    "the",
    " the",
    "word",
    "ing",
    "\xC3\x9F",
    "\xC4\xB0",
    "\xEF\xAC\x81",
    "\xCE\xA3",
    ".",
    ",",
    "!?",
    "--",
    "//",
    "_",
    "<",
    ">",
    "|",
    "<|",
    "|>",
    "[",
    "]",
    "</",
    "#",
    "##",
    "@@",
};

}  // namespace

std::vector<std::string> hazards_of(const Tokenizer& tokenizer) {
  std::vector<std::string> out(std::begin(kHazards), std::end(kHazards));
  const encode::Pipeline& pipeline = *tokenizer.impl().pipeline;
  // Added tokens, whole and in halves: a dozen of them, however many there are.
  const auto& entries = pipeline.added().table().entries();
  for (std::size_t i = 0; i < entries.size(); i += 1 + entries.size() / 12) {
    const std::string& content = entries[i].content;
    const std::vector<std::size_t> borders = borders_of(content);
    const std::size_t half = borders[borders.size() / 2];
    out.push_back(content);
    out.push_back(content.substr(0, half));
    out.push_back(content.substr(half));
  }
  for (const char32_t c : pipeline.pre_tokenizer().alphabet(1)) {
    out.emplace_back();
    unicode::append_utf8(out.back(), c);
  }
  std::erase(out, std::string());
  return out;
}

}  // namespace toktier::diff::ways
