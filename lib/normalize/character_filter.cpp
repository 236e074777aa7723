// Steps that drop some characters and turn some others into a blank: Nmt, StripAccents and parts of
// the BertNormalizer. The reference drops first and replaces afterwards, which is the same in one
// pass except on a text whose first characters stand for nothing (AlignedText::regular()).

#include "normalize/step.hpp"
#include "unicode/code_point_map.hpp"
#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

#include <array>

namespace toktier::normalize {
namespace {

using unicode::AlignedText;
using unicode::CodePointSet;

constexpr std::uint8_t kDrop = 1;
constexpr std::uint8_t kBlank = 2;

std::vector<std::uint8_t> actions(const CodePointSet& dropped, const CodePointSet& blanked) {
  std::vector<std::uint8_t> values(std::size_t{unicode::kMaxCodePoint} + 1, 0);
  const auto fill = [&values](const CodePointSet& set, std::uint8_t action) {
    for (const unicode::CodePointRange& r : set.ranges()) {
      for (char32_t c = r.first; c <= r.last; ++c) values[c] = action;
    }
  };
  fill(blanked, kBlank);
  fill(dropped, kDrop);
  return values;
}

class CharacterFilter final : public Step {
 public:
  CharacterFilter(const CodePointSet& dropped, const CodePointSet& blanked)
      : actions_(actions(dropped, blanked)), two_passes_(!blanked.empty()) {
    const CodePointSet ascii = CodePointSet::of(0, 0x7F);
    ascii_free_ = dropped.intersected(ascii).empty() && blanked.intersected(ascii).empty();
  }

  void run(AlignedText& text) const override {
    if (text.regular()) {
      pass(text, kDrop | kBlank);
      return;
    }
    pass(text, kDrop);
    if (two_passes_) pass(text, kBlank);
  }

  bool apart(Border& b) const override { return apart_by_character(*this, b); }

 private:
  void pass(AlignedText& text, unsigned active) const {
    const std::string_view view = text.text();
    std::uint8_t action = 0;
    std::size_t at = next(view, 0, active, &action);
    if (at == view.size() && text.regular()) return;
    AlignedText::Transform transform(text);
    std::size_t done = 0;
    while (at < view.size()) {
      transform.keep(view.substr(done, at - done));
      if (action == kDrop) {
        transform.skip(1);
      } else {
        transform.push(" ", 0);
      }
      at += unicode::sequence_length(static_cast<unsigned char>(view[at]));
      done = at;
      at = next(view, at, active, &action);
    }
    transform.keep(view.substr(done));
    transform.finish();
  }

  /// First character at or after `at` with an active action.
  std::size_t next(std::string_view view, std::size_t at, unsigned active,
                   std::uint8_t* action) const {
    while (at < view.size()) {
      if (ascii_free_ && static_cast<unsigned char>(view[at]) < 0x80) {
        at = unicode::skip_ascii(view, at);
        continue;
      }
      const unicode::Decoded d = unicode::decode(view.data() + at);
      *action = actions_[d.code_point];
      if ((*action & active) != 0) return at;
      at += d.length;
    }
    return at;
  }

  unicode::CodePointMap actions_;
  bool two_passes_;
  bool ascii_free_ = false;
};

}  // namespace

StepPointer make_nmt() {
  return std::make_unique<CharacterFilter>(unicode::rust::nmt_removed(),
                                           unicode::rust::nmt_to_space());
}

StepPointer make_strip_accents() {
  return std::make_unique<CharacterFilter>(unicode::rust::combining_mark(), CodePointSet());
}

StepPointer make_bert_clean() {
  return std::make_unique<CharacterFilter>(unicode::rust::bert_cleaned(),
                                           unicode::rust::bert_to_space());
}

StepPointer make_drop_nonspacing() {
  return std::make_unique<CharacterFilter>(unicode::rust::mark_nonspacing(), CodePointSet());
}

}  // namespace toktier::normalize
