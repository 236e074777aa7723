#include "bpe/symbol_set.hpp"

#include <algorithm>

namespace toktier::bpe {

void SymbolSet::add(std::string_view text, TokenId id) {
  if (text.empty()) return;
  by_first_byte_[static_cast<unsigned char>(text[0])].push_back({std::string(text), id});
  ++size_;
  longest_ = std::max(longest_, text.size());
}

bool SymbolSet::crosses(std::string_view text, std::size_t at) const {
  for (std::size_t begin = at - std::min(at, longest_); begin < at; ++begin) {
    for (const Symbol& s : by_first_byte_[static_cast<unsigned char>(text[begin])]) {
      if (begin + s.text.size() <= at) break;  // longest first
      const std::string_view shown = text.substr(begin, s.text.size());
      if (std::string_view(s.text).starts_with(shown)) return true;
    }
  }
  return false;
}

void SymbolSet::finish() {
  for (auto& bucket : by_first_byte_)
    std::stable_sort(bucket.begin(), bucket.end(), [](const Symbol& a, const Symbol& b) {
      return a.text.size() > b.text.size();
    });
}

SymbolSet::Match SymbolSet::longest(std::string_view text, std::size_t at,
                                    const std::vector<Symbol>& bucket) {
  for (const Symbol& s : bucket)
    if (text.compare(at, s.text.size(), s.text) == 0)
      return {static_cast<std::uint32_t>(s.text.size()), s.id};
  return {};
}

}  // namespace toktier::bpe
