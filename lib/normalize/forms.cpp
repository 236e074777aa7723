// NFC, NFD, NFKC, NFKD with the engine's own data and its own order of changes.
//
// The text is cut at inert characters (normalization_data.hpp): those parts are copied; what lies
// between is decomposed, put in canonical order and, for the composed forms, composed again. A
// composed character's change is the sum of the changes of the two less one, which is the
// reference's rule.

#include "normalize/step.hpp"
#include "unicode/utf8.hpp"

#include <algorithm>

namespace toktier::normalize {
namespace {

using unicode::AlignedText;
using unicode::NormalForm;

struct Entry {
  char32_t code_point;
  int change;
  std::uint8_t combining_class;
};

/// Emits characters of a region to the transformation.
class Sink {
 public:
  explicit Sink(AlignedText::Transform& transform) : transform_(transform) {}
  void put(char32_t c, int change) {
    bytes_.clear();
    unicode::append_utf8(bytes_, c);
    transform_.push(bytes_, change);
  }

 private:
  AlignedText::Transform& transform_;
  std::string bytes_;
};

class Form final : public Step {
 public:
  explicit Form(NormalForm form)
      : active_(unicode::active_forms()),
        bit_(unicode::form_bit(form)),
        compatible_(form == NormalForm::nfkc || form == NormalForm::nfkd),
        composing_(form == NormalForm::nfc || form == NormalForm::nfkc) {}

  void run(AlignedText& text) const override {
    const std::string_view view = text.text();
    std::size_t last = 0;  // begin of the last inert character before `at`
    std::size_t at = next_active(view, 0, &last);
    if (at == view.size() && text.regular()) return;
    AlignedText::Transform transform(text);
    Sink sink(transform);
    std::vector<Entry> region;
    std::size_t done = 0;
    while (at < view.size()) {
      const std::size_t begin = composing_ ? last : at;
      transform.keep(view.substr(done, begin - done));
      const std::size_t end = decompose(view, begin, at, region);
      if (composing_) {
        compose(region, sink);
      } else {
        for (const Entry& e : region) sink.put(e.code_point, e.change);
      }
      done = end;
      last = end;
      at = next_active(view, end, &last);
    }
    transform.keep(view.substr(done));
    transform.finish();
  }

  // The text may be cut before an inert character. One that composes may still become another
  // character by what stands behind it, unless that is inert too.
  bool apart(Border& b) const override {
    const auto known_inert = [this](char32_t c) { return c != kUnknownCharacter && inert(c); };
    if (!known_inert(b.y)) return false;
    if (!known_inert(b.x)) b.x = kUnknownCharacter;
    if (b.x == kUnknownCharacter || !known_inert(b.w)) b.w = kUnknownCharacter;
    const bool next = known_inert(b.z);
    if (composing_) {
      if (!next) b.y = kUnknownCharacter;
      b.z = kUnknownCharacter;
    } else if (!next) {
      b.z = kUnknownCharacter;
    }
    return true;
  }

 private:
  /// First character at or after `at` that is not inert; *last becomes the begin of the inert one
  /// before it.
  std::size_t next_active(std::string_view view, std::size_t at, std::size_t* last) const {
    while (at < view.size()) {
      if (static_cast<unsigned char>(view[at]) < 0x80) {
        at = unicode::skip_ascii(view, at);
        *last = at - 1;
        continue;
      }
      const unicode::Decoded d = unicode::decode(view.data() + at);
      if (!inert(d.code_point)) return at;
      *last = at;
      at += d.length;
    }
    return at;
  }

  /// Fills `region` with the ordered decomposition from `begin` to the first inert character after
  /// `active`; returns where that is.
  std::size_t decompose(std::string_view view, std::size_t begin, std::size_t active,
                        std::vector<Entry>& region) const {
    region.clear();
    std::size_t sorted = 0;
    std::size_t at = begin;
    while (at < view.size()) {
      const unicode::Decoded d = unicode::decode(view.data() + at);
      if (at > active && inert(d.code_point)) break;
      const unicode::HangulParts hangul = unicode::decompose_hangul(d.code_point);
      const std::u32string_view parts = hangul.count > 0
                                            ? std::u32string_view(hangul.parts, hangul.count)
                                            : unicode::decomposition(d.code_point, compatible_);
      if (parts.empty()) {
        add(d.code_point, 0, region, sorted);
      } else {
        int change = 0;
        for (const char32_t part : parts) {
          add(part, change, region, sorted);
          change = 1;
        }
      }
      at += d.length;
    }
    sort_from(sorted, region);
    return at;
  }

  static void add(char32_t c, int change, std::vector<Entry>& region, std::size_t& sorted) {
    const std::uint8_t combining_class = unicode::combining_class(c);
    if (combining_class == 0) {
      sort_from(sorted, region);
      sorted = region.size() + 1;
    }
    region.push_back({c, change, combining_class});
  }

  static void sort_from(std::size_t begin, std::vector<Entry>& region) {
    if (begin + 1 >= region.size()) return;
    const auto first = region.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto lower = [](const Entry& a, const Entry& b) {
      return a.combining_class < b.combining_class;
    };
    // Most are in order, and a long run of marks of one class would be merged over and over.
    if (!std::is_sorted(first, region.end(), lower)) std::stable_sort(first, region.end(), lower);
  }

  /// Canonical composition (Unicode standard, section 3.11): a character composes with the last
  /// starter unless a character of the same or a higher class stands between.
  static void compose(const std::vector<Entry>& region, Sink& sink) {
    std::size_t i = 0;
    // What precedes the first starter stands for itself.
    for (; i < region.size() && region[i].combining_class != 0; ++i)
      sink.put(region[i].code_point, region[i].change);
    std::vector<Entry> waiting;  // marks behind the starter that did not compose
    while (i < region.size()) {
      Entry starter = region[i];
      waiting.clear();
      for (++i; i < region.size(); ++i) {
        const Entry& e = region[i];
        const bool blocked =
            !waiting.empty() && waiting.back().combining_class >= e.combining_class;
        const char32_t composed = blocked ? 0 : unicode::compose(starter.code_point, e.code_point);
        if (composed != 0) {
          starter.code_point = composed;
          starter.change += e.change - 1;
        } else if (e.combining_class == 0) {
          break;
        } else {
          waiting.push_back(e);
        }
      }
      sink.put(starter.code_point, starter.change);
      for (const Entry& e : waiting) sink.put(e.code_point, e.change);
    }
  }

  bool inert(char32_t c) const { return (active_[c] & bit_) == 0; }

  const unicode::CodePointMap& active_;  // lives as long as the process
  std::uint8_t bit_;
  bool compatible_;
  bool composing_;
};

}  // namespace

StepPointer make_form(NormalForm form) { return std::make_unique<Form>(form); }

}  // namespace toktier::normalize
