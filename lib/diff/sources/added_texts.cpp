#include "diff/sources/added_texts.hpp"

#include "encode/tokenizer_impl.hpp"

#include <algorithm>

namespace toktier::diff::sources {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string other_case(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
    else if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

std::vector<std::string> added_texts(const Tokenizer& tokenizer, std::size_t most) {
  std::vector<std::string> out;
  const auto& entries = tokenizer.impl().pipeline->added().table().entries();
  const std::size_t step = 1 + entries.size() / std::max<std::size_t>(most, 1);
  for (std::size_t i = 0; i < entries.size(); i += step) {
    const std::string& content = entries[i].content;
    std::size_t half = content.size() / 2;
    while (half > 0 && continues(content[half])) --half;
    for (std::string text :
         {content, content.substr(0, half), content.substr(half), other_case(content)})
      out.push_back(std::move(text));
  }
  std::erase(out, std::string());
  return out;
}

}  // namespace toktier::diff::sources
