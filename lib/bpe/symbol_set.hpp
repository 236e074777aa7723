#pragma once
// Literal strings matched longest-first at a position: SentencePiece's user-defined symbols.

#include "toktier/types.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::bpe {

class SymbolSet {
 public:
  void add(std::string_view text, TokenId id);
  void finish();
  bool empty() const { return size_ == 0; }
  std::size_t longest() const { return longest_; }
  /// A symbol may lie across byte `at` of a text that goes on on both sides of this part of it.
  bool crosses(std::string_view text, std::size_t at) const;

  struct Match {
    std::uint32_t length = 0;  // bytes; 0 = none
    TokenId id = 0;
  };
  /// The longest symbol that begins exactly at `at`.
  Match at(std::string_view text, std::size_t at) const {
    const auto& bucket = by_first_byte_[static_cast<unsigned char>(text[at])];
    return bucket.empty() ? Match{} : longest(text, at, bucket);
  }

 private:
  struct Symbol {
    std::string text;
    TokenId id;
  };
  static Match longest(std::string_view text, std::size_t at, const std::vector<Symbol>& bucket);
  std::array<std::vector<Symbol>, 256> by_first_byte_;  // longest first
  std::size_t size_ = 0;
  std::size_t longest_ = 0;  // bytes
};

}  // namespace toktier::bpe
