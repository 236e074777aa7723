#include "replay/text_supply.hpp"

#include "replay/seeded.hpp"
#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace toktier::replay {
namespace {

constexpr auto kWords = std::to_array<std::string_view>({"the",
                                                         "of",
                                                         "and",
                                                         "to",
                                                         "a",
                                                         "in",
                                                         "is",
                                                         "that",
                                                         "it",
                                                         "for",
                                                         "file",
                                                         "test",
                                                         "error",
                                                         "function",
                                                         "value",
                                                         "returns",
                                                         "with",
                                                         "when",
                                                         "line",
                                                         "change",
                                                         "module",
                                                         "list",
                                                         "not",
                                                         "this",
                                                         "should",
                                                         "because",
                                                         "first",
                                                         "check",
                                                         "result",
                                                         "output",
                                                         "expected",
                                                         "input",
                                                         "request",
                                                         "response",
                                                         "server",
                                                         "session",
                                                         "token",
                                                         "context",
                                                         "message",
                                                         "user",
                                                         "version",
                                                         "default",
                                                         "option",
                                                         "argument",
                                                         "class",
                                                         "method",
                                                         "call",
                                                         "before",
                                                         "after",
                                                         "already",
                                                         "without",
                                                         "however",
                                                         "therefore",
                                                         "small",
                                                         "large",
                                                         "another",
                                                         "branch",
                                                         "commit",
                                                         "build",
                                                         "package",
                                                         "failed",
                                                         "passed",
                                                         "don't",
                                                         "it's",
                                                         "can't",
                                                         "we'll",
                                                         "caf\xC3\xA9",
                                                         "na\xC3\xAFve",
                                                         "\xE2\x80\x94",
                                                         "\xE6\x95\xB0\xE6\x8D\xAE",
                                                         "\xE6\x96\x87\xE4\xBB\xB6",
                                                         "\xD1\x84\xD0\xB0\xD0\xB9\xD0\xBB"});
constexpr auto kNames = std::to_array<std::string_view>(
    {"index", "count", "path", "buffer", "options", "node", "parent", "client", "reader", "limit"});

}  // namespace

TextSupply::TextSupply(std::uint64_t seed, std::vector<std::string> texts)
    : state_(seed), texts_(std::move(texts)) {
  for (const std::string& text : texts_) bytes_ += text.size();
  if (bytes_ == 0) throw Error(ErrorCode::usage, "no text to cut from");
}

std::string TextSupply::take(std::uint64_t characters) {
  return texts_.empty() ? made(characters) : cut(characters);
}

std::string TextSupply::cut(std::uint64_t characters) {
  std::uint64_t at = next_random(state_) % bytes_;
  std::size_t which = 0;
  while (at >= texts_[which].size()) at -= texts_[which++].size();
  while (at > 0 && (static_cast<unsigned char>(texts_[which][at]) & 0xC0U) == 0x80) --at;
  std::string out;
  while (characters > 0) {
    const std::string& text = texts_[which];
    const std::size_t begin = at;
    for (; characters > 0 && at < text.size(); --characters)
      at += unicode::sequence_length(static_cast<unsigned char>(text[at]));
    out.append(text, begin, at - begin);
    if (at < text.size()) continue;
    at = 0;
    which = (which + 1) % texts_.size();
  }
  return out;
}

void TextSupply::paragraph(std::string& out) {
  const auto below = [this](std::uint64_t n) { return next_random(state_) % n; };
  const auto word = [&] { return kWords[below(kWords.size())]; };
  const auto name = [&] { return kNames[below(kNames.size())]; };
  switch (below(4)) {
    case 0:
      for (std::uint64_t i = 3 + below(9); i-- > 0;)
        out += fmt::format("{:{}}{}_{} = self.{}({}, {})\n", "", 4 * (1 + below(3)), name(),
                           below(50), name(), below(100000), name());
      break;
    case 1:
      for (std::uint64_t i = 2 + below(6); i-- > 0;)
        out += fmt::format("{{\"{}\": {}, \"{}\": \"src/{}/{}_{}.py\", \"{}\": {}.{:02}}}\n",
                           name(), below(1000000), name(), name(), name(), below(100), name(),
                           below(1000), below(100));
      break;
    default:
      for (std::uint64_t i = 2 + below(5); i-- > 0;) {
        for (std::uint64_t n = 5 + below(15); n-- > 0;) {
          out += word();
          out += n == 0 ? ". " : below(12) == 0 ? ", " : " ";
        }
      }
      out += "\n\n";
  }
}

std::string TextSupply::made(std::uint64_t characters) {
  std::string out;
  while (unicode::count_code_points(out) < characters) {
    const std::uint64_t missing = characters - unicode::count_code_points(out);
    const std::size_t target = out.size() + missing;
    while (out.size() < target) paragraph(out);
  }
  std::size_t end = 0;
  for (; characters > 0; --characters)
    end += unicode::sequence_length(static_cast<unsigned char>(out[end]));
  out.resize(end);
  return out;
}

}  // namespace toktier::replay
