#pragma once
// UTF-8 decoding and validation. All functions are pure; units are bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toktier::unicode {

/// Byte offset of the first ill-formed sequence, or nullopt when `text` is well-formed (RFC 3629:
/// no surrogates, no overlong forms, at most U+10FFFF).
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Copy with every maximal ill-formed subpart replaced by U+FFFD (the W3C/Rust `from_utf8_lossy`
/// rule).
std::string replace_invalid_utf8(std::string_view text);

/// The first byte at or after `from` that is not ASCII; text.size() when there is none.
std::size_t skip_ascii(std::string_view text, std::size_t from);

/// Number of code points in well-formed text.
std::size_t count_code_points(std::string_view text);

struct Decoded {
  char32_t code_point;
  std::uint32_t length;  // bytes, 1..4
};

/// Decodes the character at `p` of WELL-FORMED text; never reads past it.
inline Decoded decode(const char* p) {
  const auto b0 = static_cast<unsigned char>(p[0]);
  if (b0 < 0x80) return {b0, 1};
  const auto c = [p](int i) {
    return static_cast<char32_t>(static_cast<unsigned char>(p[i]) & 0x3F);
  };
  if (b0 < 0xE0) return {(static_cast<char32_t>(b0 & 0x1F) << 6) | c(1), 2};
  if (b0 < 0xF0) return {(static_cast<char32_t>(b0 & 0x0F) << 12) | (c(1) << 6) | c(2), 3};
  return {(static_cast<char32_t>(b0 & 0x07) << 18) | (c(1) << 12) | (c(2) << 6) | c(3), 4};
}

/// Appends `c` (a scalar value) to `out`.
void append_utf8(std::string& out, char32_t c);

/// Length in bytes of the sequence that `lead` begins (1 for a continuation byte).
inline std::uint32_t sequence_length(unsigned char lead) {
  return lead < 0xC0 ? 1U : lead < 0xE0 ? 2U : lead < 0xF0 ? 3U : 4U;
}

}  // namespace toktier::unicode
