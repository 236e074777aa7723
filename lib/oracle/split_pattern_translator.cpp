#include "oracle/split_pattern_translator.hpp"

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

namespace toktier::oracle {

namespace {

std::u32string decode_all(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Decoded d = unicode::decode(text.data() + at);
    out.push_back(d.code_point);
    at += d.length;
  }
  return out;
}

class Translator {
 public:
  Translator(std::string_view pattern, model::Reference reference)
      : in_(decode_all(pattern)), fancy_(reference == model::Reference::tiktoken) {}

  std::u32string run() {
    while (at_ < in_.size()) {
      const char32_t c = in_[at_];
      if (c == '\\') {
        escape();
      } else if (c == '[') {
        ++at_;
        out_ += set();
      } else if (c == '$') {
        ++at_;
        out_ += fancy_ ? U"\\z" : U"(?=\\n|\\z)";
      } else if (c == '^') {
        refuse("^");
      } else if (c == '}' && !fancy_ && at_ + 1 < in_.size() &&
                 (in_[at_ + 1] == '+' || in_[at_ + 1] == '?')) {
        refuse("a sign after an interval, in Ruby syntax");
      } else if (c == '(' && in_.compare(at_, 3, U"(?<") == 0) {
        refuse("look-behind");
      } else if (c == '.') {
        ++at_;
        out_ += U"[^\\n]";
      } else {
        out_.push_back(c);
        ++at_;
      }
    }
    return out_;
  }

 private:
  std::u32string in_;
  bool fancy_;
  std::size_t at_ = 0;
  std::u32string out_;

  [[noreturn]] static void refuse(const std::string& what) {
    throw Error(ErrorCode::unsupported, "split oracle: " + what);
  }

  std::u32string property_name() {
    if (at_ >= in_.size() || in_[at_] != '{') refuse("\\p without braces");
    const std::size_t end = in_.find(U'}', at_);
    if (end == std::u32string::npos) refuse("unterminated \\p{");
    std::u32string name = in_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return name;
  }

  // A set written with [:name:], which Boost reads inside brackets only. `negative` may also come
  // from {^name}.
  std::u32string named(bool negative) {
    std::u32string name = property_name();
    if (!name.empty() && name[0] == '^') {
      negative = !negative;
      name.erase(0, 1);
    }
    return (negative ? U"[:^" : U"[:") + name + U":]";
  }

  // \s and its like by name: Boost looks \S up as "S", which is the symbols. Alone, \w of Oniguruma
  // holds a few signs more than [\w], which is [[:word:]].
  std::u32string shorthand_name(char32_t c, bool in_set) const {
    static constexpr std::u32string_view kShorthands = U"sdwSDW";
    if (c == 0 || kShorthands.find(c) == std::u32string_view::npos) return {};
    const char32_t lower = c | 0x20;
    std::u32string name(1, lower);
    if (lower == 'w' && in_set && !fancy_) name = U"bracketword";
    return (c == lower ? U"[:" : U"[:^") + name + U":]";
  }

  void escape() {
    const char32_t c = at_ + 1 < in_.size() ? in_[at_ + 1] : U'\0';
    if (c == 'p' || c == 'P') {
      at_ += 2;
      out_ += U"[" + named(c == 'P') + U"]";
      return;
    }
    if (const std::u32string shorthand = shorthand_name(c, false); !shorthand.empty()) {
      at_ += 2;
      out_ += U"[" + shorthand + U"]";
      return;
    }
    static constexpr std::u32string_view kSame = U"nrt|().*+?[]{}\\/-^$&~#'\" z";
    if (kSame.find(c) == std::u32string_view::npos) refuse("an escape");
    out_ += in_.substr(at_, 2);
    at_ += 2;
  }

  // After '[' : the set as one Boost atom.
  std::u32string set() {
    std::u32string body;
    std::u32string guards;  // look-aheads for the parts after &&
    bool negative = false;
    if (in_[at_] == '^') {
      negative = true;
      ++at_;
    }
    bool in_guard = false;
    for (;;) {
      if (at_ >= in_.size()) refuse("unterminated set");
      const char32_t c = in_[at_];
      if (c == ']') {
        ++at_;
        break;
      }
      if (in_guard && c != '[') refuse("&& with something other than a set on its right");
      if (c == '[' && in_.compare(at_, 2, U"[:") != 0) {
        if (!in_guard) refuse("a set inside a set");
        ++at_;
        guards += U"(?=" + set() + U")";
        if (at_ < in_.size() && in_[at_] != ']') refuse("more than one part after &&");
        continue;
      }
      if (in_.compare(at_, 2, U"&&") == 0) {
        in_guard = true;
        at_ += 2;
        continue;
      }
      if (c == '\\' && (in_[at_ + 1] == 'p' || in_[at_ + 1] == 'P')) {
        at_ += 2;
        body += named(in_[at_ - 1] == 'P');
        continue;
      }
      if (c == '\\') {
        if (const std::u32string shorthand = shorthand_name(in_[at_ + 1], true);
            !shorthand.empty()) {
          at_ += 2;
          body += shorthand;
          continue;
        }
      }
      const std::size_t length = c == '\\' ? 2 : 1;
      body += in_.substr(at_, length);
      at_ += length;
    }
    if (negative && !guards.empty()) refuse("a negated intersection");
    const std::u32string plain = (negative ? U"[^" : U"[") + body + U"]";
    return guards.empty() ? plain : U"(?:" + guards + plain + U")";
  }
};

}  // namespace

std::u32string translate_split_pattern(std::string_view pattern, model::Reference reference) {
  return Translator(pattern, reference).run();
}

}  // namespace toktier::oracle
