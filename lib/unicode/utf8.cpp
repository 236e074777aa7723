#include "unicode/utf8.hpp"

#include <simdjson.h>

#include <cstring>

namespace toktier::unicode {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

unsigned char at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool continuation(unsigned char b) { return (b & 0xC0) == 0x80; }

struct Sequence {
  std::uint32_t
      length;  // bytes of the well-formed sequence, or of its longest well-formed beginning
  bool valid;
};

/// Reads the sequence at `i`, which starts with a byte of 0x80 or more. The second byte's range
/// depends on the first (Unicode standard, table 3-7): that rule alone excludes overlong forms,
/// surrogates and > U+10FFFF.
Sequence read_sequence(std::string_view text, std::size_t i) {
  const unsigned char lead = at(text, i);
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::uint32_t want = lead < 0xE0 ? 2U : lead < 0xF0 ? 3U : 4U;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (i + 1 >= text.size() || at(text, i + 1) < low || at(text, i + 1) > high) return {1, false};
  for (std::uint32_t k = 2; k < want; ++k) {
    if (i + k >= text.size() || !continuation(at(text, i + k))) return {k, false};
  }
  return {want, true};
}

}  // namespace

std::size_t skip_ascii(std::string_view text, std::size_t from) {
  std::size_t i = from;
  while (i + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & kHighBits) != 0) break;
    i += 8;
  }
  while (i < text.size() && at(text, i) < 0x80) ++i;
  return i;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  // Whether, at memory speed; where, only when there is something to find.
  if (text.size() >= 64 && simdjson::validate_utf8(text.data(), text.size())) return std::nullopt;
  std::size_t i = 0;
  while (true) {
    if (i < text.size() && at(text, i) < 0x80) i = skip_ascii(text, i);
    if (i >= text.size()) return std::nullopt;
    const Sequence s = read_sequence(text, i);
    if (!s.valid) return i;
    i += s.length;
  }
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t done = 0;
  while (done < text.size()) {
    const std::string_view rest = text.substr(done);
    const std::optional<std::size_t> bad = find_invalid_utf8(rest);
    if (!bad) {
      out.append(rest);
      break;
    }
    out.append(rest.substr(0, *bad));
    out.append("\xEF\xBF\xBD");
    done += *bad + read_sequence(rest, *bad).length;
  }
  return out;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    // A continuation byte has bit 7 set and bit 6 clear.
    const std::uint64_t tails = (word & kHighBits) & ~((word << 1) & kHighBits);
    count += 8 - static_cast<std::size_t>(__builtin_popcountll(tails));
  }
  for (; i < text.size(); ++i) count += continuation(at(text, i)) ? 0 : 1;
  return count;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

}  // namespace toktier::unicode
