#pragma once
// Compares the pre-tokenizer with its slow twin; shared by the quick test and the exhaustive one.

#include "oracle/split_oracle.hpp"
#include "pretok/pretokenizer.hpp"
#include "pretok/testing/chain_table.hpp"
#include "unicode/utf8.hpp"

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::oracle::testing {

using ChainCase = pretok::testing::ChainRow;

inline std::vector<ChainCase> chain_cases() { return pretok::testing::chain_rows(); }

struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t gave_up = 0;  // by the oracle
  std::uint64_t differ = 0;
  std::string first_difference;
};

inline std::string hex(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return out;
}

class SplitCheck {
 public:
  explicit SplitCheck(const ChainCase& c)
      : pretok_(pretok::PreTokenizer::compile(c.steps, c.reference)),
        oracle_(c.steps, c.reference) {}

  const pretok::PreTokenizer& pretok() const { return pretok_; }
  const Tally& tally() const { return tally_; }

  void compare(std::string_view text) {
    const auto expected = oracle_.split(text);
    if (!expected) {
      ++tally_.gave_up;
      return;
    }
    text_.reset(text, 0, false);
    pretok_.run(text_, pieces_);
    bool same = pieces_.size() == expected->size();
    for (std::size_t i = 0; same && i < pieces_.size(); ++i) {
      same = pieces_[i].begin == (*expected)[i].begin && pieces_[i].end == (*expected)[i].end;
    }
    ++tally_.compared;
    if (same) return;
    if (tally_.differ++ == 0) tally_.first_difference = hex(text);
  }

  /// Every string over `alphabet` of at most `longest` characters.
  void every_string(const std::vector<char32_t>& alphabet, std::size_t longest) {
    std::vector<std::size_t> digits;
    std::string text;
    for (;;) {
      std::size_t i = 0;
      while (i < digits.size() && ++digits[i] == alphabet.size()) digits[i++] = 0;
      if (i == digits.size()) {
        if (digits.size() == longest) return;
        digits.push_back(0);
      }
      text.clear();
      for (const std::size_t d : digits) unicode::append_utf8(text, alphabet[d]);
      compare(text);
    }
  }

  void random_strings(const std::vector<char32_t>& alphabet, std::size_t count, std::size_t longest,
                      std::uint32_t seed) {
    std::mt19937 random(seed);
    std::string text;
    for (std::size_t n = 0; n < count; ++n) {
      text.clear();
      // A few letters a string, so that runs and repetitions are common.
      std::vector<char32_t> some;
      for (std::size_t i = 0; i < 1 + random() % 6; ++i) {
        some.push_back(alphabet[random() % alphabet.size()]);
      }
      for (std::size_t i = 1 + random() % longest; i > 0; --i) {
        unicode::append_utf8(text, random() % 8 == 0 ? alphabet[random() % alphabet.size()]
                                                     : some[random() % some.size()]);
      }
      compare(text);
    }
  }

 private:
  pretok::PreTokenizer pretok_;
  SplitOracle oracle_;
  unicode::AlignedText text_;
  std::vector<pretok::Piece> pieces_;
  Tally tally_;
};

/// The longest length for which all strings over `letters` stay within `budget`.
inline std::size_t longest_within(std::size_t letters, std::uint64_t budget) {
  std::uint64_t total = 0;
  std::uint64_t power = 1;
  for (std::size_t length = 1;; ++length) {
    power *= letters;
    total += power;
    if (total > budget || length > 12) return length - 1;
  }
}

}  // namespace toktier::oracle::testing
