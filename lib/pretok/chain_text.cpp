#include "pretok/chain_text.hpp"

#include "toktier/error.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace toktier::pretok {

namespace {

std::vector<std::string_view> cut(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

[[noreturn]] void fail(std::string_view step) {
  throw Error(ErrorCode::input, "not a pre-tokenizer step: " + std::string(step));
}

std::uint32_t number(std::string_view word, int base, std::string_view step) {
  std::uint32_t value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (result.ec != std::errc() || result.ptr != word.data() + word.size()) fail(step);
  return value;
}

model::SplitBehavior behavior(std::string_view word, std::string_view step) {
  using model::SplitBehavior;
  constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kNames = {{
      {"removed", SplitBehavior::removed},
      {"isolated", SplitBehavior::isolated},
      {"merged_with_previous", SplitBehavior::merged_with_previous},
      {"merged_with_next", SplitBehavior::merged_with_next},
      {"contiguous", SplitBehavior::contiguous},
  }};
  for (const auto& [name, value] : kNames) {
    if (name == word) return value;
  }
  fail(step);
}

model::PrependScheme scheme(std::string_view word, std::string_view step) {
  if (word == "first") return model::PrependScheme::first;
  if (word == "always") return model::PrependScheme::always;
  if (word == "never") return model::PrependScheme::never;
  fail(step);
}

model::PreTokenizer parse_step(std::string_view step) {
  const std::vector<std::string_view> words = cut(step, ' ');
  const std::string_view kind = words[0];
  const auto flag = [&](std::size_t i) { return number(words[i], 10, step) != 0; };
  const std::size_t count = words.size();
  if (kind == "Split" && count == 5) {
    return model::PreSplit{
        {words[1] == "regex", percent_decode(words[4])}, behavior(words[2], step), flag(3)};
  }
  if (kind == "ByteLevel" && count == 3) return model::PreByteLevel{flag(1), flag(2)};
  if (kind == "Digits" && count == 2) return model::PreDigits{flag(1)};
  if (kind == "Punctuation" && count == 2) {
    return model::PrePunctuation{behavior(words[1], step)};
  }
  if (kind == "Metaspace" && count == 4) {
    return model::PreMetaspace{percent_decode(words[1]), scheme(words[2], step), flag(3)};
  }
  if (kind == "Whitespace" && count == 1) return model::PreWhitespace{};
  if (kind == "WhitespaceSplit" && count == 1) return model::PreWhitespaceSplit{};
  if (kind == "Bert" && count == 1) return model::PreBert{};
  if (kind == "UnicodeScripts" && count == 1) return model::PreUnicodeScripts{};
  if (kind == "CharDelimiterSplit" && count == 2) {
    return model::PreCharDelimiterSplit{number(words[1], 16, step)};
  }
  if (kind == "FixedLength" && count == 2) {
    return model::PreFixedLength{number(words[1], 10, step)};
  }
  fail(step);
}

}  // namespace

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) fail(text);
    out.push_back(static_cast<char>(number(text.substr(i + 1, 2), 16, text)));
    i += 2;
  }
  return out;
}

std::vector<model::PreTokenizer> parse_chain(std::string_view line) {
  std::vector<model::PreTokenizer> steps;
  if (line.empty()) return steps;
  for (const std::string_view step : cut(line, '\t')) steps.push_back(parse_step(step));
  return steps;
}

}  // namespace toktier::pretok
