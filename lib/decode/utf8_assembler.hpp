#pragma once
// Joins bytes that come in any cuts to whole characters, holding back at most three bytes.
//
// A held part is given out only when it is complete or can no longer be completed. With `replace`,
// every maximal ill-formed part becomes U+FFFD (the rule of Rust's lossy conversion); without, its
// bytes are given out as they are. Not thread-safe; a value type.

#include <cstdint>
#include <string>
#include <string_view>

namespace toktier::decode {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Accepts bytes one by one (RFC 3629).
class Utf8Machine {
 public:
  enum class Step { complete, inside, invalid };
  /// After `invalid` the machine is at the start again and the byte has NOT been taken when a
  /// character was open.
  Step take(unsigned char byte) {
    if (need_ == 0) {
      if (byte < 0x80) return Step::complete;
      low_ = 0x80;
      high_ = 0xBF;
      if (byte >= 0xC2 && byte <= 0xDF) {
        need_ = 1;
      } else if (byte >= 0xE0 && byte <= 0xEF) {
        need_ = 2;
        if (byte == 0xE0) low_ = 0xA0;
        if (byte == 0xED) high_ = 0x9F;
      } else if (byte >= 0xF0 && byte <= 0xF4) {
        need_ = 3;
        if (byte == 0xF0) low_ = 0x90;
        if (byte == 0xF4) high_ = 0x8F;
      } else {
        return Step::invalid;
      }
      return Step::inside;
    }
    if (byte < low_ || byte > high_) {
      need_ = 0;
      return Step::invalid;
    }
    low_ = 0x80;
    high_ = 0xBF;
    return --need_ == 0 ? Step::complete : Step::inside;
  }
  bool open() const { return need_ != 0; }  // a character has begun and is not complete
  void reset() { need_ = 0; }

 private:
  unsigned need_ = 0;
  unsigned char low_ = 0x80;
  unsigned char high_ = 0xBF;
};

class Utf8Assembler {
 public:
  explicit Utf8Assembler(bool replace) : replace_(replace) {}
  /// Appends to `out` what can no longer change.
  void push(std::string_view bytes, std::string& out);
  /// Appends what is held; the assembler is as new.
  void finish(std::string& out);
  std::size_t held() const { return held_.size(); }

 private:
  void give_up(std::string& out);
  bool replace_;
  Utf8Machine machine_;
  std::string held_;
};

}  // namespace toktier::decode
