#pragma once
// Reads a pattern code point by code point and words the refusals.

#include "toktier/error.hpp"
#include "unicode/utf8.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toktier::pretok {

/// A pattern as messages show it.
inline std::string shown_pattern(std::string_view pattern) {
  constexpr std::size_t kShown = 200;
  return pattern.size() <= kShown ? std::string(pattern)
                                  : std::string(pattern.substr(0, kShown)) + "...";
}

class PatternCursor {
 public:
  explicit PatternCursor(std::string_view text) : text_(text) {}

  bool done() const { return at_ >= text_.size(); }
  std::size_t offset() const { return at_; }
  void rewind(std::size_t offset) { at_ = offset; }
  char32_t peek() const { return unicode::decode(text_.data() + at_).code_point; }
  bool peek_is(char32_t c) const { return !done() && peek() == c; }
  bool peek_is(std::string_view s) const { return text_.substr(at_).starts_with(s); }

  char32_t next() {
    if (done()) fail_input("unexpected end");
    const unicode::Decoded d = unicode::decode(text_.data() + at_);
    at_ += d.length;
    return d.code_point;
  }
  bool take(char32_t c) {
    if (!peek_is(c)) return false;
    next();
    return true;
  }

  /// A decimal number, when there is one; refuses one above `limit`.
  std::optional<std::uint32_t> number(std::uint32_t limit) {
    std::optional<std::uint32_t> value;
    while (!done() && peek() >= '0' && peek() <= '9') {
      value = value.value_or(0) * 10 + static_cast<std::uint32_t>(next() - '0');
      if (*value > limit) fail("repetition count above " + std::to_string(limit));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& construct) const {
    throw Error(ErrorCode::unsupported, "regular expression: " + construct + " at byte " +
                                            std::to_string(at_) + " of \"" + shown_pattern(text_) +
                                            "\"");
  }
  [[noreturn]] void fail_input(const std::string& what) const {
    throw Error(ErrorCode::input, "regular expression: " + what + " at byte " +
                                      std::to_string(at_) + " of \"" + shown_pattern(text_) + "\"");
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace toktier::pretok
