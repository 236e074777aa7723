#pragma once
// For tests: every string over an alphabet, at every split point, through append, edit and fork.
//
// The strings stand between two texts long enough that seams' proofs end in them; documents are in
// the finest parts there are. For each string w and each split w = u v, with texts A and B around:
//   append   A u, then v                     = cold(A w)
//   fork     the same on a copy, while the original goes another way
//   edit     A B, u put between, then v behind it = cold(A w B)
//   undo     v taken out again               = cold(A u B), by its own ids
//   begin    u, then v, in an empty document = cold(w)

#include "session/testing/checked_document.hpp"

#include <string>
#include <vector>

namespace toktier::session::testing {

struct Counts {
  std::uint64_t strings = 0, changes = 0, differ = 0, refused = 0;
  std::uint64_t bytes = 0, cold_bytes = 0;
  std::string first;
};

class Exhaustive {
 public:
  Exhaustive(const encode::Pipeline& pipeline, std::vector<std::string> alphabet)
      : bench_(pipeline),
        alphabet_(std::move(alphabet)),
        left_(bench_, kGrain),
        both_(bench_, kGrain) {
    const std::size_t far = pipeline.seams().before() + pipeline.seams().behind() + 64;
    const std::string around = "these words are plain, and so is the rest of it. ";
    std::string before, behind;
    while (before.size() < far) before += around;
    while (behind.size() < far) behind += around;
    before += "x";
    step(bench_, left_, 0, 0, before);
    step(bench_, both_, 0, 0, before + behind);
    border_ = before.size();
  }

  /// Nothing when the texts around the strings are refused.
  Counts run(std::size_t longest) {
    if (both_.text.empty()) return counts_;
    std::string word;
    std::vector<std::size_t> ends = {0};
    walk(longest, word, ends);
    counts_.differ = bench_.tally.differ;
    counts_.refused = bench_.tally.refused;
    counts_.changes = bench_.tally.steps;
    counts_.bytes = bench_.tally.bytes;
    counts_.cold_bytes = bench_.tally.cold_bytes;
    counts_.first = bench_.tally.first;
    return counts_;
  }

 private:
  static constexpr Grain kGrain{1, 64};

  void walk(std::size_t left, std::string& word, std::vector<std::size_t>& ends) {
    if (!word.empty()) {
      ++counts_.strings;
      for (std::size_t k = 0; k + 1 < ends.size(); ++k) split(word, ends[k]);
    }
    if (left == 0) return;
    for (const std::string& symbol : alphabet_) {
      const std::size_t size = word.size();
      word += symbol;
      ends.push_back(word.size());
      walk(left - 1, word, ends);
      ends.pop_back();
      word.resize(size);
    }
  }

  void split(const std::string& word, std::size_t at) {
    const std::string_view u = std::string_view(word).substr(0, at);
    const std::string_view v = std::string_view(word).substr(at);
    CheckedDocument one = left_;
    if (!u.empty()) step(bench_, one, one.text.size(), one.text.size(), u);
    CheckedDocument fork = one;
    step(bench_, one, one.text.size(), one.text.size(), "q");
    step(bench_, fork, fork.text.size(), fork.text.size(), v);
    CheckedDocument middle = both_;
    if (!u.empty()) step(bench_, middle, border_, border_, u);
    step(bench_, middle, border_ + at, border_ + at, v);
    step(bench_, middle, border_ + at, border_ + at + v.size(), "");
    CheckedDocument alone(bench_, kGrain);
    if (!u.empty()) step(bench_, alone, 0, 0, u);
    step(bench_, alone, u.size(), u.size(), v);
  }

  Bench bench_;
  std::vector<std::string> alphabet_;
  CheckedDocument left_, both_;
  std::size_t border_ = 0;
  Counts counts_;
};

/// One character of each class the patterns tell apart, and what the other stages look at: blanks,
/// a mark, an upper-case letter, halves of an added token.
inline std::vector<std::string> alphabet_of(const encode::Pipeline& pipeline) {
  std::vector<std::string> out;
  for (const char32_t c : pipeline.pre_tokenizer().alphabet(1)) {
    if (c == 0) continue;
    out.emplace_back();
    unicode::append_utf8(out.back(), c);
  }
  for (const char* more : {" ", "a", "A", "1", "\n", "!", "\xCC\x81", "\xE4\xBD\xA0"})
    if (std::find(out.begin(), out.end(), more) == out.end()) out.emplace_back(more);
  const auto& entries = pipeline.added().table().entries();
  if (!entries.empty()) {
    const std::string& content = entries.back().content;
    std::size_t half = content.size() / 2;
    while (half > 0 && (static_cast<unsigned char>(content[half]) & 0xC0) == 0x80) --half;
    if (half > 0) out.push_back(content.substr(0, half));
    out.push_back(content.substr(half));
  }
  return out;
}

}  // namespace toktier::session::testing
