#include "normalize/graphemes.hpp"

#include "unicode/rust_tables.hpp"
#include "unicode/utf8.hpp"

namespace toktier::normalize {
namespace {

using Class = unicode::rust::GraphemeClass;

bool extends(Class c) {
  return c == Class::extend || c == Class::conjunct_extend || c == Class::linker;
}

/// What the characters of a cluster so far tell about the next boundary.
class Cluster {
 public:
  explicit Cluster(Class first) { take(first); }

  bool joins(Class next) const {
    if (last_ == Class::control || next == Class::control) return false;
    if (extends(next) || next == Class::zwj || next == Class::spacing_mark)
      return true;                             // GB9, GB9a
    if (last_ == Class::prepend) return true;  // GB9b
    switch (next) {
      case Class::hangul_l:
      case Class::hangul_lv:
      case Class::hangul_lvt:
        return last_ == Class::hangul_l;  // GB6
      case Class::hangul_v:
        return last_ == Class::hangul_l || last_ == Class::hangul_lv || last_ == Class::hangul_v;
      case Class::hangul_t:
        return last_ == Class::hangul_lv || last_ == Class::hangul_v ||
               last_ == Class::hangul_lvt || last_ == Class::hangul_t;
      case Class::consonant:
        return conjunct_ && linked_;  // GB9c
      case Class::pictographic:
        return emoji_joiner_;  // GB11
      default:
        return false;
    }
  }

  void take(Class c) {
    emoji_joiner_ = c == Class::zwj && pictographic_;
    pictographic_ = c == Class::pictographic || (pictographic_ && extends(c));
    if (c == Class::consonant) {
      conjunct_ = true;
      linked_ = false;
    } else if (c == Class::linker) {
      linked_ = conjunct_;
    } else if (c != Class::conjunct_extend && c != Class::zwj) {
      conjunct_ = linked_ = false;
    }
    last_ = c;
  }

 private:
  Class last_ = Class::other;
  bool pictographic_ = false;  // pictographic, then only extenders
  bool emoji_joiner_ = false;  // the same, then ZWJ
  bool conjunct_ = false;      // consonant, then only conjunct extenders and linkers
  bool linked_ = false;        // with a linker among them
};

}  // namespace

std::size_t grapheme_end(std::string_view text, std::size_t begin) {
  const unicode::Decoded first = unicode::decode(text.data() + begin);
  std::size_t at = begin + first.length;
  if (at == text.size()) return at;
  const auto next_byte = static_cast<unsigned char>(text[at]);
  if (first.code_point < 0x80 && next_byte < 0x80) {
    return first.code_point == '\r' && next_byte == '\n' ? at + 1
                                                         : at;  // GB3; ASCII joins nothing else
  }
  Cluster cluster(unicode::rust::grapheme_class(first.code_point));
  while (at < text.size()) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    const Class c = unicode::rust::grapheme_class(d.code_point);
    if (!cluster.joins(c)) break;
    cluster.take(c);
    at += d.length;
  }
  return at;
}

}  // namespace toktier::normalize
