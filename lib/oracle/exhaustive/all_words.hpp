#pragma once
// All strings over an alphabet, up to a length, cut by the pre-tokenizer and by the split oracle.
//
// For a chain that has heads (SplitOracle::has_heads()) the oracle is asked for the head of each
// string only. The pieces behind it are the oracle's own answer for the rest, a shorter string that
// was asked before. And a head is asked once for all strings of a length that begin with the
// characters the engine read for it: the engine is deterministic and knows nothing of the others.
// Both arguments are about the oracle alone; our pieces of each string are computed from the whole
// string. Where a length has few strings the answer is compared with split() as well.

#include "oracle/split_oracle.hpp"
#include "oracle/testing/split_check.hpp"

#include <stdexcept>
#include <vector>

namespace toktier::oracle::testing {

class AllWords {
 public:
  static constexpr std::size_t kLongest = 7;  // positions fit into a byte
  static constexpr std::uint64_t kAlsoSplit = 200000;

  AllWords(const ChainCase& c, std::vector<char32_t> alphabet)
      : pretok_(pretok::PreTokenizer::compile(c.steps, c.reference)),
        oracle_(c.steps, c.reference),
        alphabet_(std::move(alphabet)) {
    for (const char32_t one : alphabet_) {
      std::string bytes;
      unicode::append_utf8(bytes, one);
      bytes_.push_back(bytes);
    }
    answers_.push_back({Answer{}});
    powers_.push_back(1);
  }

  bool can_run() const { return oracle_.has_heads(); }
  const Tally& tally() const { return tally_; }
  std::uint64_t also_split() const { return also_split_; }
  std::uint64_t heads() const { return heads_; }

  /// Every string of length `longest` or less.
  void run(std::size_t longest) {
    if (longest > kLongest) throw std::logic_error("words too long");
    for (std::size_t length = 1; length <= longest; ++length) {
      powers_.push_back(powers_.back() * alphabet_.size());
      if (length < longest) answers_.emplace_back(powers_.back());
      one_length(length, length < longest);
    }
  }

 private:
  // Bit i: a piece begins (ends) before character i.
  struct Answer {
    std::uint8_t begins = 0;
    std::uint8_t ends = 0;
    bool operator==(const Answer&) const = default;
  };
  static constexpr Answer kGaveUp{0xFF, 0};  // no text has a begin and no end

  void one_length(std::size_t length, bool remember) {
    std::vector<std::size_t> digits(length, 0);
    std::u32string word(length, alphabet_[0]);
    text_.clear();
    offsets_.assign(length + 1, 0);
    for (std::size_t i = 0; i < length; ++i) place(i, 0);
    std::size_t changed = 0;  // first character that differs from the word before
    for (std::uint64_t number = 0;; ++number) {
      if (changed < head_.read || number == 0) ask(word);
      const Answer expected = answer(length, number);
      if (remember) answers_[length][number] = expected;
      check(word, expected);
      std::size_t i = length;
      while (i > 0 && ++digits[i - 1] == alphabet_.size()) digits[--i] = 0;
      if (i == 0) return;
      changed = --i;
      text_.resize(offsets_[i]);
      for (; i < length; ++i) {
        word[i] = alphabet_[digits[i]];
        place(i, digits[i]);
      }
    }
  }

  void place(std::size_t i, std::size_t digit) {
    text_ += bytes_[digit];
    offsets_[i + 1] = static_cast<std::uint32_t>(text_.size());
  }

  void ask(const std::u32string& word) {
    ++heads_;
    head_answer_ = Answer{};
    if (!oracle_.head(word, head_)) {
      head_answer_ = kGaveUp;
      head_.end = head_.read = word.size();
      return;
    }
    for (const auto& [begin, end] : head_.pieces) add(head_answer_, begin, end);
  }

  static void add(Answer& answer, std::size_t begin, std::size_t end) {
    answer.begins = static_cast<std::uint8_t>(answer.begins | 1U << begin);
    answer.ends = static_cast<std::uint8_t>(answer.ends | 1U << end);
  }

  // `number`: the place among the words of this length; the first character counts most, so the
  // place of the rest among the shorter words is a remainder.
  Answer answer(std::size_t length, std::uint64_t number) const {
    const std::size_t left = length - head_.end;
    const Answer& rest = answers_[left][number % powers_[left]];
    if (head_answer_ == kGaveUp || rest == kGaveUp) return kGaveUp;
    Answer out = head_answer_;
    out.begins = static_cast<std::uint8_t>(out.begins | rest.begins << head_.end);
    out.ends = static_cast<std::uint8_t>(out.ends | rest.ends << head_.end);
    return out;
  }

  void check(const std::u32string& word, Answer expected) {
    if (powers_[word.size()] <= kAlsoSplit) compare_with_split(word, expected);
    if (expected == kGaveUp) {
      ++tally_.gave_up;
      return;
    }
    aligned_.reset(text_, 0, false);
    pretok_.run(aligned_, pieces_);
    Answer ours;
    std::size_t at = 0;
    bool between_characters = true;
    for (const pretok::Piece& piece : pieces_) {
      while (offsets_[at] < piece.begin) ++at;
      between_characters &= offsets_[at] == piece.begin;
      const std::size_t begin = at;
      while (offsets_[at] < piece.end) ++at;
      add(ours, begin, at);
      between_characters &= offsets_[at] == piece.end;
    }
    ++tally_.compared;
    if (between_characters && ours == expected) return;
    if (tally_.differ++ == 0) tally_.first_difference = hex(text_);
  }

  void compare_with_split(const std::u32string& word, Answer expected) {
    ++also_split_;
    const auto spans = oracle_.split(text_);
    Answer whole;
    if (!spans) whole = kGaveUp;
    for (std::size_t i = 0; spans && i <= word.size(); ++i) {
      for (const Span& span : *spans) {
        if (span.begin == offsets_[i])
          whole.begins = static_cast<std::uint8_t>(whole.begins | 1U << i);
        if (span.end == offsets_[i]) whole.ends = static_cast<std::uint8_t>(whole.ends | 1U << i);
      }
    }
    if (!(whole == expected)) throw std::logic_error("two answers of the oracle: " + hex(text_));
  }

  pretok::PreTokenizer pretok_;
  SplitOracle oracle_;
  std::vector<char32_t> alphabet_;
  std::vector<std::string> bytes_;
  std::vector<std::vector<Answer>> answers_;  // by length, by number
  std::vector<std::uint64_t> powers_;         // words of a length
  std::string text_;
  std::vector<std::uint32_t> offsets_;  // of the characters of text_
  unicode::AlignedText aligned_;
  std::vector<pretok::Piece> pieces_;
  SplitOracle::Head head_;
  Answer head_answer_;
  Tally tally_;
  std::uint64_t also_split_ = 0;
  std::uint64_t heads_ = 0;
};

}  // namespace toktier::oracle::testing
