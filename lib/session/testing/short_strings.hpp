#pragma once
// For tests: documents that are short strings and nothing else, at a rate that lets all of them be
// tried. For each string w and each split w = u v:
//   append   u symbol by symbol, then v                  = cold(w), seams as far apart as they are
//   fork     u at once; on a copy v; u stays as it was   = cold(w), seams as near as they can be
//   edit     w without the first symbol of v, that put in = cold(w), and taken out again = as
//   before
// What is compared is the patch, applied to the ids before, and the ids that the document holds.
// testing/exhaustive.hpp has the same with text around, for fewer strings.

#include "encode/pipeline.hpp"
#include "report/escape.hpp"
#include "session/document.hpp"
#include "toktier/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toktier::session::testing {

struct ShortCounts {
  std::uint64_t strings = 0;  // w
  std::uint64_t splits = 0;   // (w, u)
  std::uint64_t changes = 0;  // compared with a cold run
  std::uint64_t refused = 0;  // strings that a cold run refuses; documents of them must refuse too
  std::uint64_t differ = 0;
  std::string first;
  void operator+=(const ShortCounts& other) {
    strings += other.strings;
    splits += other.splits;
    changes += other.changes;
    refused += other.refused;
    differ += other.differ;
    if (first.empty()) first = other.first;
  }
};

/// Splits of all strings of 1 to `longest` of `symbols` symbols.
inline std::uint64_t splits_of(std::uint64_t symbols, std::size_t longest) {
  std::uint64_t sum = 0, strings = 1;
  for (std::size_t n = 1; n <= longest; ++n) {
    strings *= symbols;
    sum += strings * n;
  }
  return sum;
}

class ShortStrings {
 public:
  ShortStrings(const encode::Pipeline& pipeline, const std::vector<std::string>& alphabet,
               SpecialMode mode = SpecialMode::file_default)
      : pipeline_(pipeline),
        alphabet_(alphabet),
        filter_(std::make_shared<const added::SpecialFilter>(pipeline.added().filter(mode))),
        scratch_(pipeline.scratch(1 << 16)),
        cold_scratch_(pipeline.scratch(1 << 16)) {}

  /// All strings of up to `longest` symbols that begin with symbol `first`.
  ShortCounts run(std::size_t first, std::size_t longest) {
    counts_ = {};
    levels_.clear();
    levels_.push_back(level("", nullptr));
    down(first, longest);
    return counts_;
  }

 private:
  static constexpr Grain kFine{1, 64};

  // A prefix of the strings under way.
  struct Level {
    std::string text;
    std::vector<TokenId> cold;
    bool refused = false;
    std::unique_ptr<Document> grown;    // none: a change was refused on the way
    std::unique_ptr<Document> at_once;  // none: refused
  };

  bool cold(std::string_view text, std::vector<TokenId>& ids) {
    encoding_.clear();
    try {
      pipeline_.run(text, *filter_, {}, *cold_scratch_, encoding_);
    } catch (const Error&) {
      return false;
    }
    ids = encoding_.ids;
    return true;
  }

  /// Changes, and compares with `expected` (nullptr: must be refused). `ids` are those before, and
  /// become those behind. False when the document is of no more use.
  bool change(Document& document, std::size_t begin, std::size_t end, std::string_view text,
              const std::vector<TokenId>* expected, std::vector<TokenId>& ids, const char* what,
              std::string_view whole) {
    ++counts_.changes;
    try {
      const Change patch = document.replace(begin, end, text, *scratch_);
      if (expected == nullptr) return differs(what, whole, begin, "only a cold run refuses");
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(patch.keep),
                ids.end() - static_cast<std::ptrdiff_t>(patch.tail));
      ids.insert(ids.begin() + static_cast<std::ptrdiff_t>(patch.keep), patch.ids.begin(),
                 patch.ids.end());
    } catch (const Error& error) {
      return expected == nullptr ? false : differs(what, whole, begin, error.what());
    }
    if (ids != *expected) return differs(what, whole, begin, "the patch gives other ids");
    return holds(document, *expected) || differs(what, whole, begin, "the document holds others");
  }

  bool holds(const Document& document, const std::vector<TokenId>& expected) {
    held_.clear();
    document.rope().append_ids(0, document.rope().tokens(), held_);
    return held_ == expected;
  }

  bool differs(const char* what, std::string_view whole, std::size_t at, std::string_view why) {
    ++counts_.differ;
    if (counts_.first.empty())
      counts_.first = fmt::format("{} of \"{}\" at byte {}: {}", what,
                                  report::escape_preview(whole, 200), at, why);
    return false;
  }

  Level level(std::string text, const Level* before) {
    Level out;
    out.text = std::move(text);
    out.refused = !cold(out.text, out.cold);
    const std::vector<TokenId>* expected = out.refused ? nullptr : &out.cold;
    out.at_once = std::make_unique<Document>(pipeline_, filter_, kFine);
    std::vector<TokenId> ids;
    if (!out.text.empty() &&
        !change(*out.at_once, 0, 0, out.text, expected, ids, "opening", out.text))
      out.at_once.reset();
    if (before == nullptr) {
      out.grown = std::make_unique<Document>(pipeline_, filter_);
    } else if (before->grown) {
      out.grown = std::make_unique<Document>(*before->grown);
      ids = before->cold;
      if (!change(*out.grown, before->text.size(), before->text.size(),
                  std::string_view(out.text).substr(before->text.size()), expected, ids, "growing",
                  out.text))
        out.grown.reset();
    }
    return out;
  }

  void down(std::size_t symbol, std::size_t left) {
    levels_.push_back(level(levels_.back().text + alphabet_[symbol], &levels_.back()));
    ++counts_.strings;
    counts_.refused += levels_.back().refused;
    splits();
    if (left > 1)
      for (std::size_t next = 0; next < alphabet_.size(); ++next) down(next, left - 1);
    // Copies went other ways meanwhile.
    const Level& here = levels_.back();
    if (here.at_once && !holds(*here.at_once, here.cold))
      differs("fork", here.text, here.text.size(), "the original changed");
    levels_.pop_back();
  }

  void splits() {
    const Level& whole = levels_.back();
    const std::string_view w = whole.text;
    const std::vector<TokenId>* expected = whole.refused ? nullptr : &whole.cold;
    for (std::size_t k = 0; k + 1 < levels_.size(); ++k) {
      ++counts_.splits;
      const Level& u = levels_[k];
      const std::size_t at = u.text.size();
      if (u.grown) {
        Document document = *u.grown;
        ids_ = u.cold;
        (void)change(document, at, at, w.substr(at), expected, ids_, "append", w);
      }
      if (u.at_once) {
        Document document = *u.at_once;
        ids_ = u.cold;
        (void)change(document, at, at, w.substr(at), expected, ids_, "fork", w);
      }
      edit(w, at, levels_[k + 1].text.size(), expected);
    }
  }

  // [begin, end) of w is put into the rest of it, and taken out again.
  void edit(std::string_view w, std::size_t begin, std::size_t end,
            const std::vector<TokenId>* expected) {
    rest_.assign(w.substr(0, begin));
    rest_ += w.substr(end);
    if (rest_.empty()) return;
    Document document(pipeline_, filter_, kFine);
    if (!cold(rest_, rest_ids_)) return;  // counted as a string of its own
    ids_.clear();
    if (!change(document, 0, 0, rest_, &rest_ids_, ids_, "opening", rest_)) return;
    if (!change(document, begin, begin, w.substr(begin, end - begin), expected, ids_, "edit", w))
      return;
    (void)change(document, begin, end, "", &rest_ids_, ids_, "undo", w);
  }

  const encode::Pipeline& pipeline_;
  const std::vector<std::string>& alphabet_;
  std::shared_ptr<const added::SpecialFilter> filter_;
  std::unique_ptr<encode::EncodeScratch> scratch_, cold_scratch_;
  Encoding encoding_;
  std::vector<TokenId> ids_, held_, rest_ids_;
  std::string rest_;
  std::vector<Level> levels_;
  ShortCounts counts_;
};

}  // namespace toktier::session::testing
